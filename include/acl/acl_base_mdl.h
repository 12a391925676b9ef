#ifndef ACL_ACL_BASE_MDL_H_
#define ACL_ACL_BASE_MDL_H_

// Offline models are not part of this library; the header exists because programs include it.

#endif  // ACL_ACL_BASE_MDL_H_
