// After which unit of a frame nothing reads a register any more.
#ifndef RECURSIVE_TF_KERNELS_CORE_REGISTER_LIFETIMES_H_
#define RECURSIVE_TF_KERNELS_CORE_REGISTER_LIFETIMES_H_

#include <vector>

#include "kernels/core/batched_program.h"

namespace recursive_tf {

// The registers that a frame may let go of early, so that a frame that waits
// for its callees keeps only what it needs afterwards.
struct LastUses {
  // [unit]: when the unit has read its registers.
  std::vector<std::vector<int>> units;
  // [unit][region] of a switch: when that region has been chosen.
  std::vector<std::vector<std::vector<int>>> regions;
};

// The same, by how a unit lets go of them.
struct RegisterEnds {
  // [unit][argument or copy]: it is the last one to read its register, whose
  // reference goes where the value goes. Of calls, copies and returns.
  std::vector<std::vector<bool>> moves;
  // [unit]: when it has read its registers. Of these three, and of a switch,
  // none.
  std::vector<std::vector<int>> units;
  // [unit][region] of a switch, its own included.
  std::vector<std::vector<std::vector<int>>> regions;
};

// Finds them by what must have happened before a unit starts. Never too early;
// in a body with loops, only when the frame ends.
LastUses FindLastUses(const BatchedProgram& program, const BatchedBody& body);

RegisterEnds FindRegisterEnds(const BatchedBody& body, LastUses uses);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_REGISTER_LIFETIMES_H_
