"""cairn.torch's modules on the CPU: replace(), autocast, deterministic mode, torch.compile, saved weights."""

import copy
import unittest

import torch
from test_operators import needs
from test_torch import input_of, value_and_gradient

import cairn.torch

needs_all = needs("aclnnMaxPool3dWithArgmax", "aclnnMaxUnpool3d", "aclnnMaxUnpool2d", "aclnnUpsampleNearest3d")


class Network(torch.nn.Module):
    """Has every module that replace() knows, and some that it must leave alone."""

    def __init__(self):
        super().__init__()
        self.pool2d = torch.nn.MaxPool2d(2, return_indices=True)
        self.unpool2d = torch.nn.MaxUnpool2d(2)
        self.conv = torch.nn.Conv3d(2, 2, 3, padding=1)
        self.pool = torch.nn.MaxPool3d(2, return_indices=True)
        self.same_pool = self.pool
        self.unpool = torch.nn.MaxUnpool3d(2)
        self.up = torch.nn.Upsample(scale_factor=2, mode="nearest")
        self.smooth = torch.nn.Upsample(scale_factor=0.5, mode="trilinear", align_corners=False)
        self.adaptive2d = torch.nn.AdaptiveMaxPool2d((3, None))
        self.adaptive = torch.nn.AdaptiveMaxPool3d(3, return_indices=True)
        self.blocks = torch.nn.ModuleList([torch.nn.Sequential(torch.nn.MaxPool3d(3, 2, 1))])

    def forward(self, x):
        x = self.conv(x)
        flat = self.unpool2d(*self.pool2d(x.flatten(2, 3)))
        y, where = self.pool(x)
        flat = self.adaptive2d(flat) + self.adaptive(x)[0].sum()
        x = self.unpool(y, where, output_size=x.shape) + self.up(self.blocks[0](x))
        return self.smooth(x).sum() + flat.sum() + self.up(flat).sum()


class ModuleTest(unittest.TestCase):
    @needs_all
    def test_replaced_model_computes_the_same(self):
        torch.manual_seed(0)
        theirs = Network()
        ours = cairn.torch.replace(copy.deepcopy(theirs))
        x = torch.randn(2, 2, 8, 8, 8)
        losses = []
        for model in (theirs, ours):
            losses.append(model(x))
            losses[-1].backward()
        self.assertTrue(torch.equal(*losses))
        for a, b in zip(theirs.parameters(), ours.parameters()):
            torch.testing.assert_close(a.grad, b.grad)

    def test_replace_swaps_what_it_should(self):
        model = Network()
        calls = []
        model.pool.register_forward_hook(lambda *_: calls.append(1))
        before = dict(model.named_modules())
        self.assertIs(cairn.torch.replace(model), model)
        self.assertEqual(
            {name: id(module) for name, module in before.items()},
            {name: id(module) for name, module in model.named_modules()},
        )
        for name, kind in (
            ("pool2d", cairn.torch.MaxPool2d),
            ("pool", cairn.torch.MaxPool3d),
            ("unpool", cairn.torch.MaxUnpool3d),
            ("unpool2d", cairn.torch.MaxUnpool2d),
            ("adaptive2d", cairn.torch.AdaptiveMaxPool2d),
            ("adaptive", cairn.torch.AdaptiveMaxPool3d),
            ("up", cairn.torch.Upsample),
            ("smooth", cairn.torch.Upsample),
        ):
            self.assertIs(type(getattr(model, name)), kind)
        self.assertIs(model.same_pool, model.pool)
        self.assertIs(type(model.blocks[0][0]), cairn.torch.MaxPool3d)
        self.assertIs(type(model.conv), torch.nn.Conv3d)
        self.assertEqual(len(model.pool._forward_hooks), 1)
        self.assertIs(type(cairn.torch.replace(torch.nn.MaxPool3d(2))), cairn.torch.MaxPool3d)

    def test_replace_leaves_subclasses_alone(self):
        class Own(torch.nn.MaxPool3d):
            pass

        self.assertIs(type(cairn.torch.replace(Own(2))), Own)

    def reported(self, model):
        lines = []
        self.assertIs(cairn.torch.replace(model, report=lines.append), model)
        self.assertRegex(lines[-1], r"; calls of torch.nn.functional in a forward\(\) .* stay PyTorch's$")
        return [*lines[:-1], lines[-1].split(";")[0]]

    def test_a_report_says_what_was_replaced_and_what_was_left(self):
        class Own(torch.nn.UpsamplingNearest2d):
            pass

        pool = torch.nn.MaxPool2d(2)
        model = torch.nn.Sequential(torch.nn.Conv2d(1, 1, 1), pool, pool, torch.nn.Sequential(torch.nn.AvgPool3d(2)))
        model.extend([torch.nn.LPPool2d(2, 2), Own(scale_factor=2), cairn.torch.UpsampleNearest3d(2)])
        model.append(torch.jit.script(torch.nn.Sequential(torch.nn.AvgPool2d(2), torch.nn.ReLU())))
        model.append(torch.nn.Upsample(scale_factor=2, mode="area"))
        model.append(torch.nn.Upsample(scale_factor=2, mode="bicubic"))
        self.assertEqual(self.reported(model), [
            "1 (MaxPool2d): replaced",
            "3.0 (AvgPool3d): replaced",
            "4 (LPPool2d): left, Cairn has none",
            "5 (Own): left, a subclass of UpsamplingNearest2d that may compute something else",
            "6 (UpsampleNearest3d): left, Cairn's already",
            "7.0 (AvgPool2d): left, compiled already",
            "8 (Upsample): left, Cairn has none",
            "9 (Upsample): replaced",
            "3 replaced, 5 left",
        ])  # fmt: skip
        self.assertIs(type(model[8]), torch.nn.Upsample)
        self.assertIs(type(model[9]), cairn.torch.Upsample)
        self.assertEqual(self.reported(model)[0], "1 (MaxPool2d): left, Cairn's already")
        self.assertEqual(self.reported(model)[-1], "0 replaced, 8 left")
        single = torch.nn.MaxPool3d(2)
        self.assertEqual(self.reported(single), ["the model (MaxPool3d): replaced", "1 replaced, 0 left"])
        self.assertEqual(self.reported(torch.nn.ReLU()), ["0 replaced, 0 left"])

    def test_every_replacement_is_reported(self):
        model = Network()
        lines = self.reported(model)
        kinds = {name: type(module) for name, module in model.named_modules()}
        replaced = [f"{name} ({kind.__name__}): replaced" for name, kind in kinds.items() if kind in cairn.torch._OURS]
        self.assertEqual(lines[:-1], replaced)
        self.assertEqual(lines[-1], f"{len(replaced)} replaced, 0 left")

    def test_what_cannot_be_replaced_or_report_is_refused_first(self):
        scripted = torch.jit.script(torch.nn.MaxPool2d(2))
        traced = torch.jit.trace(torch.nn.MaxPool2d(2), torch.ones(1, 1, 2, 2))
        for model in (scripted, traced):
            with self.assertRaisesRegex(TypeError, "model is a .*compiled already: replace its modules before"):
                cairn.torch.replace(model)
        model = torch.nn.MaxPool2d(2)
        for wrong in (True, "print", 1, []):
            with self.assertRaisesRegex(TypeError, "report is a .*expected a function such as print"):
                cairn.torch.replace(model, report=wrong)
        self.assertIs(type(model), torch.nn.MaxPool2d)

    @needs_all
    def test_modules_take_what_torch_nn_takes(self):
        x = input_of(3)
        settings = [
            ((3,), {"stride": 2, "padding": 1, "ceil_mode": True}),
            (((2, 3, 2),), {"dilation": (1, 1, 2)}),
            ((2,), {"return_indices": True}),
        ]
        for words, keywords in settings:
            ours = cairn.torch.MaxPool3d(*words, **keywords)
            theirs = torch.nn.MaxPool3d(*words, **keywords)
            self.assertEqual(repr(ours), repr(theirs))
            results = [f(x) if isinstance(f(x), tuple) else (f(x),) for f in (ours, theirs)]
            for a, b in zip(*results):
                self.assertTrue(torch.equal(a, b))
        up = cairn.torch.UpsampleNearest3d(scale_factor=2)
        self.assertTrue(torch.equal(up(x), torch.nn.Upsample(scale_factor=2)(x)))
        for input in (x, x.flatten(2, 3), x.flatten(2)):
            for keywords in ({"scale_factor": 2}, {"size": 9}, {"scale_factor": 2.5, "recompute_scale_factor": True}):
                for mode in ("nearest", "nearest-exact"):
                    ours = cairn.torch.Upsample(mode=mode, **keywords)
                    theirs = torch.nn.Upsample(mode=mode, **keywords)
                    self.assertEqual(repr(ours), repr(theirs))
                    self.assertTrue(torch.equal(ours(input), theirs(input)))
                    self.assertIs(type(cairn.torch.replace(theirs)), cairn.torch.Upsample)
        # A rank that the mode does not have is torch.nn's to refuse.
        with self.assertRaisesRegex(NotImplementedError, "3D"):
            cairn.torch.Upsample(scale_factor=2, mode="bilinear")(x.flatten(2))

    @needs_all
    def test_autocast(self):
        model = cairn.torch.replace(Network())
        with torch.autocast("cpu", dtype=torch.bfloat16):
            x = model.conv(torch.randn(1, 2, 8, 8, 8))
            self.assertEqual(x.dtype, torch.bfloat16)
            y, where = model.pool(x)
            restored = model.unpool(y, where)
            up = model.up(y)
        for tensor in (y, restored, up):
            self.assertEqual(tensor.dtype, torch.bfloat16)
        (restored.float().sum() + up.float().sum()).backward()
        self.assertIsNotNone(model.conv.weight.grad)

    @needs_all
    def test_deterministic_mode(self):
        torch.use_deterministic_algorithms(True)
        try:
            runs = [value_and_gradient(lambda t: cairn.torch.max_pool3d(t, 3, 1, 1), input_of(3)) for _ in range(2)]
        finally:
            torch.use_deterministic_algorithms(False)
        self.assertTrue(torch.equal(runs[0][1], runs[1][1]))

    @needs_all
    @unittest.skipUnless(hasattr(torch, "compile"), "this torch has no compile")
    def test_compiled_model(self):
        model = cairn.torch.replace(Network())
        x = torch.randn(1, 2, 8, 8, 8)
        compiled = torch.compile(model, backend="eager")
        self.assertTrue(torch.equal(compiled(x), model(x)))

    def test_saved_weights_load(self):
        weights = Network().state_dict()
        cairn.torch.replace(Network()).load_state_dict(weights)


if __name__ == "__main__":
    unittest.main()
