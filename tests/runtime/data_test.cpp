#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "runtime/support.h"

namespace cairn::test {
namespace {

TEST(DataType, Sizes) {
  const struct {
    aclDataType type;
    std::size_t size;
  } cases[] = {{ACL_DT_UNDEFINED, 0},  {ACL_STRING, 0},      {ACL_INT4, 1},
               {ACL_UINT1, 1},         {ACL_BOOL, 1},        {ACL_INT8, 1},
               {ACL_UINT8, 1},         {ACL_HIFLOAT8, 1},    {ACL_FLOAT8_E5M2, 1},
               {ACL_FLOAT8_E4M3FN, 1}, {ACL_FLOAT8_E8M0, 1}, {ACL_FLOAT16, 2},
               {ACL_BF16, 2},          {ACL_INT16, 2},       {ACL_UINT16, 2},
               {ACL_FLOAT, 4},         {ACL_INT32, 4},       {ACL_UINT32, 4},
               {ACL_COMPLEX32, 4},     {ACL_INT64, 8},       {ACL_UINT64, 8},
               {ACL_DOUBLE, 8},        {ACL_COMPLEX64, 8},   {ACL_COMPLEX128, 16},
               {ACL_FLOAT6_E3M2, 8},   {ACL_FLOAT4_E2M1, 8}, {static_cast<aclDataType>(999), 8}};
  for (const auto& [type, size] : cases) EXPECT_EQ(aclDataTypeSize(type), size) << type;
}

TEST(Half, EveryFiniteValueComesBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7C00) == 0x7C00) continue;
    EXPECT_EQ(aclFloatToFloat16(aclFloat16ToFloat(static_cast<aclFloat16>(bits))), bits);
  }
}

TEST(Half, ValuesOfTheFormat) {
  EXPECT_EQ(aclFloat16ToFloat(0x3C00), 1.0F);
  EXPECT_EQ(aclFloat16ToFloat(0xC000), -2.0F);
  EXPECT_EQ(aclFloat16ToFloat(0x0001), 0x1p-24F);
  EXPECT_EQ(aclFloat16ToFloat(0x03FF), 0x3FFp-24F);
  EXPECT_EQ(aclFloat16ToFloat(0x0400), 0x1p-14F);
  EXPECT_EQ(aclFloat16ToFloat(0x7BFF), 65504.0F);
  EXPECT_TRUE(std::signbit(aclFloat16ToFloat(0x8000)));
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(aclFloatToFloat16(1.0F + 0x1p-11F), 0x3C00);             // half way, down to even
  EXPECT_EQ(aclFloatToFloat16(1.0F + 3 * 0x1p-11F), 0x3C02);         // half way, up to even
  EXPECT_EQ(aclFloatToFloat16(1.0F + 0x1p-11F + 0x1p-20F), 0x3C01);  // above half way
  EXPECT_EQ(aclFloatToFloat16(0x1p-25F), 0x0000);
  EXPECT_EQ(aclFloatToFloat16(0x1.8p-25F), 0x0001);
  EXPECT_EQ(aclFloatToFloat16(0x3FF.8p-24F), 0x0400);  // the largest subnormal carries into the exponent
  EXPECT_EQ(aclFloatToFloat16(1.9999F), 0x4000);
  EXPECT_EQ(aclFloatToFloat16(-0.0F), 0x8000);
  EXPECT_EQ(aclFloatToFloat16(std::numeric_limits<float>::denorm_min()), 0x0000);
}

TEST(Half, SaturatesAndKnowsNoInfinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(aclFloatToFloat16(65519.0F), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(65520.0F), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(1e30F), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(-1e30F), 0xFBFF);
  EXPECT_EQ(aclFloatToFloat16(infinity), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(-infinity), 0xFBFF);
  EXPECT_EQ(aclFloatToFloat16(std::numeric_limits<float>::quiet_NaN()), 0x7BFF);
  EXPECT_EQ(aclFloat16ToFloat(0x7C00), 65536.0F);
  EXPECT_EQ(aclFloat16ToFloat(0xFC00), -65536.0F);
  EXPECT_EQ(aclFloat16ToFloat(0x7E00), 98304.0F);
}

TEST(DataBuffer, HoldsAddressAndSize) {
  int one = 0;
  int two = 0;
  aclDataBuffer* buffer = aclCreateDataBuffer(&one, (std::size_t{1} << 32) + 5);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), &one);
  EXPECT_EQ(aclGetDataBufferSize(buffer), 5U);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), (std::size_t{1} << 32) + 5);
  EXPECT_EQ(aclUpdateDataBuffer(buffer, &two, 7), ACL_SUCCESS);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), &two);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 7U);
  EXPECT_EQ(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
  EXPECT_EQ(aclDestroyDataBuffer(buffer), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclUpdateDataBuffer(buffer, &one, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), nullptr);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 0U);
}

TEST(DataBuffer, Null) {
  EXPECT_EQ(aclDestroyDataBuffer(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclUpdateDataBuffer(nullptr, nullptr, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclGetDataBufferAddr(nullptr), nullptr);
  EXPECT_EQ(aclGetDataBufferSize(nullptr), 0U);
  EXPECT_EQ(aclGetDataBufferSizeV2(nullptr), 0U);
}

TEST(Version, OfTheApi) {
  int32_t major = 0;
  int32_t minor = 0;
  int32_t patch = -1;
  EXPECT_EQ(aclrtGetVersion(&major, &minor, &patch), ACL_SUCCESS);
  EXPECT_EQ(major, 1);
  EXPECT_EQ(minor, 17);
  EXPECT_EQ(patch, 0);
  EXPECT_EQ(aclrtGetVersion(nullptr, &minor, &patch), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetVersion(&major, nullptr, &patch), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetVersion(&major, &minor, nullptr), ACL_ERROR_INVALID_PARAM);
}

class PackageVersion : public ::testing::Test {
 protected:
  void SetUp() override {
    root = std::filesystem::temp_directory_path() / ("cairn-version-" + std::to_string(getpid()));
    if (const char* old = std::getenv("ASCEND_HOME_PATH")) home = old;
    setenv("ASCEND_HOME_PATH", root.c_str(), 1);
  }
  void TearDown() override {
    std::filesystem::remove_all(root);
    home.empty() ? unsetenv("ASCEND_HOME_PATH") : setenv("ASCEND_HOME_PATH", home.c_str(), 1);
  }
  void write(const std::string& package, const std::string& text) const {
    std::filesystem::create_directories(root / "share/info" / package);
    std::ofstream(root / "share/info" / package / "version.info") << text;
  }
  static int32_t number_of(std::string package) {
    int32_t number = -1;
    EXPECT_EQ(aclsysGetVersionNum(package.data(), &number), ACL_SUCCESS);
    return number;
  }

  std::filesystem::path root;
  std::string home;
};

TEST_F(PackageVersion, IsReadFromTheInstallTree) {
  write("runtime", "# made by hand\nVersion=9.1.0\n");
  char package[] = "runtime";
  char text[ACL_PKG_VERSION_MAX_SIZE] = {};
  EXPECT_EQ(aclsysGetVersionStr(package, text), ACL_SUCCESS);
  EXPECT_STREQ(text, "9.1.0");
  EXPECT_EQ(number_of("runtime"), 90100000);
  aclCANNPackageVersion version{};
  for (const aclCANNPackageName name : {ACL_PKG_NAME_CANN, ACL_PKG_NAME_RUNTIME}) {
    EXPECT_EQ(aclsysGetCANNVersion(name, &version), ACL_SUCCESS);
    EXPECT_STREQ(version.version, "9.1.0");
    EXPECT_STREQ(version.majorVersion, "9");
    EXPECT_STREQ(version.minorVersion, "1");
    EXPECT_STREQ(version.releaseVersion, "0");
    EXPECT_STREQ(version.patchVersion, "");
  }
}

TEST_F(PackageVersion, DashAndUnderscoreAreOne) {
  write("ops_nn", "Version=8.5.2\r\n");
  EXPECT_EQ(number_of("ops-nn"), 80502000);
  write("bisheng-compiler", "Version=1.2.3.4\n");
  EXPECT_EQ(number_of("bisheng_compiler"), 10203000);
  aclCANNPackageVersion version{};
  EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_COMPILER, &version), ACL_SUCCESS);
  EXPECT_STREQ(version.patchVersion, "4");
}

TEST_F(PackageVersion, PrereleasesLieBelowTheirRelease) {
  const struct {
    const char* text;
    int32_t number;
  } cases[] = {{"9.1.0-alpha.1", 90099701},
               {"9.1.0-beta.2", 90099802},
               {"9.1.0.RC3", 90099903},
               {"9.1.0.rc1", 90099901},
               {"9.1.0-alpha", 90099700}};
  for (const auto& [text, number] : cases) {
    write("runtime", std::string("Version=") + text + "\n");
    EXPECT_EQ(number_of("runtime"), number) << text;
  }
}

TEST_F(PackageVersion, MissingFilesAndNulls) {
  char package[] = "nothing";
  char outside[] = "../../etc";
  char text[ACL_PKG_VERSION_MAX_SIZE] = {};
  int32_t number = 0;
  aclCANNPackageVersion version{};
  EXPECT_EQ(aclsysGetVersionStr(package, text), ACL_ERROR_INVALID_FILE);
  EXPECT_EQ(aclsysGetVersionStr(outside, text), ACL_ERROR_INVALID_FILE);
  EXPECT_EQ(aclsysGetVersionNum(package, &number), ACL_ERROR_INVALID_FILE);
  EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_HCCL, &version), ACL_ERROR_INVALID_FILE);
  EXPECT_EQ(aclsysGetCANNVersion(static_cast<aclCANNPackageName>(8), &version), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclsysGetVersionStr(nullptr, text), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclsysGetVersionStr(package, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclsysGetVersionNum(nullptr, &number), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclsysGetVersionNum(package, nullptr), ACL_ERROR_INVALID_PARAM);
  write("runtime", "Version=9.1.0\n");
  unsetenv("ASCEND_HOME_PATH");
  char runtime[] = "runtime";
  EXPECT_EQ(aclsysGetVersionStr(runtime, text), ACL_ERROR_INVALID_FILE);
}

}  // namespace
}  // namespace cairn::test
