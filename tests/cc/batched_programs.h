// Programs for tests.
#ifndef RECURSIVE_TF_TESTS_CC_BATCHED_PROGRAMS_H_
#define RECURSIVE_TF_TESTS_CC_BATCHED_PROGRAMS_H_

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/core/batched_program.h"

namespace recursive_tf {

// The blocks of the tree: tree(i) = leaf(i) if head(i) else
// inner(tree(left), tree(right)).
enum TreeBlock { kHead = 0, kLeaf = 1, kInner = 2 };

// Registers: 0 i, 1 is_leaf, 2 left and right (as one), 3 leaf's result, 4 and
// 5 the callees' results, 6 the result. Events: 0 entered, 1 head done, 2 leaf
// side, 3 inner side, 4 result known, 5 left back, 6 right back.
inline std::vector<std::vector<int>> TreeUnits() {
  return {
      {0, 1, kHead, 1},             // Block head.
      {3, 1, 0, 1, 2, 2, 3},        // Switch on register 1.
      {0, 1, kLeaf, 4},             // Block leaf.
      {1, 1, 0, 1, 2, 1, 4, 1, 5},  // Call left.
      {1, 1, 0, 1, 2, 1, 5, 1, 6},  // Call right.
      {0, 2, kInner, 4},            // Block inner, after both.
      {4, 1, 1, 3, 6, 4},           // Copy; nothing starts it.
      {5, 1, 0, 1, 6, 0},           // Return.
  };
}

inline std::vector<int> TreeProgram(
    const std::vector<std::vector<int>>& units = TreeUnits()) {
  // Version, entry, one body, three blocks, no captures; the body's arguments,
  // registers, events, groups, results.
  std::vector<int> code = {1, 0, 1, 3, 0, 1, 7, 7, 1, 1};
  code.push_back(static_cast<int>(units.size()));
  for (const auto& unit : units) {
    code.insert(code.end(), unit.begin(), unit.end());
  }
  const std::vector<std::vector<int>> dependents = {{0}, {1}, {2}, {3, 4},
                                                    {7}, {5}, {5}};
  for (const auto& list : dependents) {
    code.push_back(static_cast<int>(list.size()));
    code.insert(code.end(), list.begin(), list.end());
  }
  const std::vector<std::vector<int>> blocks = {
      {0, kHead, 0, 1, 0, 0, 0, 2, 1, 1, 2, 1},
      {0, kLeaf, 0, 1, 0, 0, 0, 1, 6, 1},
      {0, kInner, 0, 2, 4, 0, 5, 0, 0, 1, 6, 1},
  };
  for (const auto& block : blocks) {
    code.insert(code.end(), block.begin(), block.end());
  }
  return code;
}

inline BatchedProgram DecodeOrDie(const std::vector<int>& code) {
  BatchedProgram program;
  std::string error;
  EXPECT_TRUE(DecodeBatchedProgram(code, 3, &program, &error)) << error;
  return program;
}

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_TESTS_CC_BATCHED_PROGRAMS_H_
