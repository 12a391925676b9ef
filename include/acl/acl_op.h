#ifndef ACL_ACL_OP_H_
#define ACL_ACL_OP_H_

// Single-operator calls by name are not part of this library; the header exists because programs include it.

#endif  // ACL_ACL_OP_H_
