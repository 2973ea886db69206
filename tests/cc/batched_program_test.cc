#include "kernels/core/batched_program.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/core/register_lifetimes.h"
#include "tests/cc/batched_programs.h"

namespace recursive_tf {
namespace {

TEST(BatchedProgramTest, DecodesBodiesUnitsAndBlocks) {
  const BatchedProgram program = DecodeOrDie(TreeProgram());
  ASSERT_EQ(program.bodies.size(), 1);
  const BatchedBody& body = program.bodies[0];
  EXPECT_EQ(body.num_args, 1);
  EXPECT_EQ(body.num_registers, 7);
  ASSERT_EQ(body.units.size(), 8);
  EXPECT_EQ(body.units[1].kind, BatchedUnit::Kind::kSwitch);
  EXPECT_EQ(body.units[1].events, (std::vector<int>{2, 3}));
  EXPECT_EQ(body.units[4].kind, BatchedUnit::Kind::kCall);
  EXPECT_EQ(body.units[4].results, std::vector<int>{5});
  EXPECT_EQ(body.units[5].pending, 2);
  EXPECT_EQ(body.dependents[3], (std::vector<int>{3, 4}));
  ASSERT_EQ(program.blocks.size(), 3);
  EXPECT_EQ(program.blocks[kInner].unit, 5);
  EXPECT_EQ(program.blocks[kInner].inputs[1].reg, 5);
  EXPECT_FALSE(program.blocks[kInner].has_dynamic_inputs);
}

TEST(BatchedProgramTest, EveryShorterOrLongerListIsAnError) {
  const std::vector<int> code = TreeProgram();
  BatchedProgram program;
  std::string error;
  for (size_t size = 0; size < code.size(); ++size) {
    const std::vector<int> part(code.begin(), code.begin() + size);
    EXPECT_FALSE(DecodeBatchedProgram(part, 3, &program, &error)) << size;
    EXPECT_FALSE(error.empty());
  }
  std::vector<int> longer = code;
  longer.push_back(0);
  EXPECT_FALSE(DecodeBatchedProgram(longer, 3, &program, &error));
  EXPECT_NE(error.find("too long"), std::string::npos) << error;
}

// Any int of a good program made bad: either an error, or a program whose
// indices are all in range, which the sanitizers check by walking it.
TEST(BatchedProgramTest, NoChangedIntGoesOutOfRange) {
  const std::vector<int> code = TreeProgram();
  for (size_t i = 0; i < code.size(); ++i) {
    for (int value : {-2, -1, 0, 1, 2, 3, 7, 100, 1 << 30}) {
      std::vector<int> changed = code;
      changed[i] = value;
      BatchedProgram program;
      std::string error;
      if (DecodeBatchedProgram(changed, 3, &program, &error)) {
        ReachableBlocks(program);
      } else {
        EXPECT_FALSE(error.empty());
      }
    }
  }
}

TEST(BatchedProgramTest, NamesWhatIsWrong) {
  std::vector<int> code = TreeProgram();
  BatchedProgram program;
  std::string error;
  EXPECT_FALSE(DecodeBatchedProgram(code, 2, &program, &error));
  EXPECT_NE(error.find("function is 2"), std::string::npos) << error;
  code[0] = 99;
  EXPECT_FALSE(DecodeBatchedProgram(code, 3, &program, &error));
  EXPECT_NE(error.find("version is 99"), std::string::npos) << error;
}

TEST(BatchedProgramTest, CallsFitTheirCallees) {
  std::vector<std::vector<int>> units = TreeUnits();
  units[3] = {1, 1, 0, 0, 1, 4, 1, 5};  // A call without its argument.
  BatchedProgram program;
  std::string error;
  EXPECT_FALSE(DecodeBatchedProgram(TreeProgram(units), 3, &program, &error));
  EXPECT_NE(error.find("does not fit its callee"), std::string::npos) << error;
}

TEST(BatchedProgramTest, OneUnitRunsABlock) {
  std::vector<std::vector<int>> units = TreeUnits();
  units[2] = {0, 1, kHead, 4};
  BatchedProgram program;
  std::string error;
  EXPECT_FALSE(DecodeBatchedProgram(TreeProgram(units), 3, &program, &error));
  EXPECT_NE(error.find("two units"), std::string::npos) << error;
}

TEST(BatchedProgramTest, ReachFollowsCallsAndReturns) {
  const auto reach = ReachableBlocks(DecodeOrDie(TreeProgram()));
  const std::vector<bool> all = {true, true, true};
  const std::vector<bool> inner_only = {false, false, true};
  EXPECT_EQ(reach[kHead], all);
  EXPECT_EQ(reach[kLeaf], inner_only);
  EXPECT_EQ(reach[kInner], inner_only);
}

TEST(BatchedProgramTest, AUnitThatWaitsForOneEventStartsWhenItFires) {
  const BatchedProgram program = DecodeOrDie(TreeProgram());
  // All but the block after both calls, and the copy that nothing starts.
  EXPECT_EQ(
      UnitsThatStartAtOnce(program.bodies[0]),
      (std::vector<bool>{true, true, true, true, true, false, false, true}));
}

TEST(BatchedProgramTest, AUnitThatSeveralEventsStartIsCounted) {
  BatchedProgram program = DecodeOrDie(TreeProgram());
  program.bodies[0].dependents[2].push_back(7);
  EXPECT_FALSE(UnitsThatStartAtOnce(program.bodies[0])[7]);
}

TEST(BatchedProgramTest, WhereAnEventCouldFireItselfAllUnitsAreCounted) {
  BatchedProgram program = DecodeOrDie(TreeProgram());
  program.bodies[0].dependents[4].push_back(6);  // The copy fires event 4.
  EXPECT_EQ(UnitsThatStartAtOnce(program.bodies[0]), std::vector<bool>(8));
}

TEST(LastUsesTest, AFrameKeepsWhatItNeedsAfterItsCalls) {
  BatchedProgram program = DecodeOrDie(TreeProgram());
  program.bodies[0].units[6].copies.clear();  // Nothing starts it.
  const LastUses uses = FindLastUses(program, program.bodies[0]);
  using Registers = std::vector<int>;
  EXPECT_EQ(uses.units[0], Registers());     // The leaf reads i, too.
  EXPECT_EQ(uses.units[1], Registers({1}));  // Whether it is a leaf.
  EXPECT_EQ(uses.units[2], Registers({0}));  // The leaf: i.
  EXPECT_EQ(uses.units[3], Registers());     // Either call may be the first
  EXPECT_EQ(uses.units[4], Registers());     // to read register 2.
  EXPECT_EQ(uses.units[5], Registers({4, 5}));
  EXPECT_EQ(uses.units[7], Registers({6}));
  EXPECT_EQ(uses.regions[1][0], Registers({2, 4, 5}));
  EXPECT_EQ(uses.regions[1][1], Registers({0}));
}

TEST(RegisterEndsTest, TheLastReaderOfARegisterTakesItsReference) {
  BatchedProgram program = DecodeOrDie(TreeProgram());
  program.bodies[0].units[6].copies.clear();
  program.bodies[0].units[7].copies = {{6, 0}, {6, 1}};
  const RegisterEnds ends = FindRegisterEnds(
      program.bodies[0], FindLastUses(program, program.bodies[0]));
  using Registers = std::vector<int>;
  EXPECT_EQ(ends.moves[7], (std::vector<bool>{false, true}));
  EXPECT_EQ(ends.units[7], Registers());
  // Either call may be the first.
  EXPECT_EQ(ends.moves[3], std::vector<bool>{false});
  EXPECT_EQ(ends.moves[4], std::vector<bool>{false});
  EXPECT_EQ(ends.units[5], Registers({4, 5}));  // A block: when it has run.
  EXPECT_EQ(ends.units[1], Registers());
  EXPECT_EQ(ends.regions[1][0], Registers({2, 4, 5, 1}));
  EXPECT_EQ(ends.regions[1][1], Registers({0, 1}));
}

TEST(LastUsesTest, ABodyWithLoopsKeepsAll) {
  BatchedProgram program = DecodeOrDie(TreeProgram());
  program.bodies[0].units[6].kind = BatchedUnit::Kind::kLoopStart;
  const LastUses uses = FindLastUses(program, program.bodies[0]);
  for (const auto& registers : uses.units) EXPECT_TRUE(registers.empty());
  for (const auto& regions : uses.regions) {
    for (const auto& registers : regions) EXPECT_TRUE(registers.empty());
  }
}

TEST(BackwardProgramTest, DecodesAndChecksAgainstTheForwardProgram) {
  const BatchedProgram forward = DecodeOrDie(TreeProgram());
  BatchedBackwardProgram backward;
  std::string error;
  const std::vector<int> code = {1,  3,                           //
                                 -1, 0, 0, 0, 0,                  // head
                                 0,  1, 0, 0, 0, 1, 0,            // leaf
                                 1,  1, 0, 0, 2, 0, 1, 2, 1, 2};  // inner
  ASSERT_TRUE(DecodeBackwardProgram(code, 2, 3, &backward, &error)) << error;
  EXPECT_EQ(backward.gradients[0].function, -1);
  EXPECT_EQ(backward.gradients[2].inputs, (std::vector<int>{0, 1}));
  EXPECT_EQ(backward.gradients[2].slots, (std::vector<int>{1, 2}));
  EXPECT_TRUE(CheckBackwardProgram(forward, backward, &error)) << error;

  EXPECT_FALSE(DecodeBackwardProgram(code, 2, 2, &backward, &error));
  backward.gradients[2].inputs = {2};
  EXPECT_FALSE(CheckBackwardProgram(forward, backward, &error));
  backward.gradients.pop_back();
  EXPECT_FALSE(CheckBackwardProgram(forward, backward, &error));
}

}  // namespace
}  // namespace recursive_tf
