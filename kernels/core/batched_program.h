// The program of the batched scheduler: SubGraph bodies cut into units.
#ifndef RECURSIVE_TF_KERNELS_CORE_BATCHED_PROGRAM_H_
#define RECURSIVE_TF_KERNELS_CORE_BATCHED_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

namespace recursive_tf {

// Vocabulary. A *frame* is one call of a body. A *register* is a value of a
// frame that crosses block borders. A *unit* is a part of a body that runs when
// the *events* it waits for have fired. A *block* is a unit with ops in it,
// which runs for many frames at once.

// Copies one register of a frame to another, or to a column of the results.
struct RegisterCopy {
  int source = 0;
  int target = 0;
};

// The declared type and shape of one row of a mapped call's result: what an
// empty result has.
struct MapResult {
  int dtype = 0;
  std::vector<int64_t> shape;
};

struct BatchedUnit {
  enum class Kind {
    kBlock = 0,      // Run `block`, then fire `event`.
    kCall = 1,       // Call `callee`; fire events[g] when group g is back.
    kMap = 2,        // Call `callee` per row; fire `event` when all is back.
    kSwitch = 3,     // Fire the event of the region that `predicate` chooses.
    kCopy = 4,       // Copy registers, then fire `event`.
    kReturn = 5,     // Hand result columns of `group` to the caller.
    kLoopStart = 6,  // Copy, reset `resets`, fire `event`.
    kLoopTest = 7,   // True: reset, fire `event`. False: copy, `exit_event`.
    kLoopNext = 8,   // Copy, reset `resets`, fire `event`.
  };

  Kind kind = Kind::kBlock;
  int pending = 0;  // Events to wait for, at least 1.
  int block = -1;
  int event = -1;
  int exit_event = -1;
  int callee = -1;
  std::vector<int> args;     // Registers.
  std::vector<int> results;  // Registers, or -1 for a result not needed.
  std::vector<int> events;   // Of result groups, or of regions.
  std::vector<MapResult> map_results;
  bool is_index = false;  // The predicate is an int32, not a bool.
  int predicate = -1;
  int group = -1;
  std::vector<RegisterCopy> copies;
  std::vector<int> resets;  // Units whose pending counts are restored.
};

struct BatchedBody {
  int num_args = 0;
  int num_registers = 0;
  int num_events = 0;
  int num_groups = 0;
  int num_results = 0;
  std::vector<BatchedUnit> units;
  // The units that wait for each event; event 0 is "the frame was entered".
  std::vector<std::vector<int>> dependents;
  int first_event = 0;  // Events counted through all bodies.
};

struct BatchedBlock {
  enum class Kind { kVectorised = 0, kSerial = 1 };
  struct Input {
    int reg = 0;
    bool is_dynamic = false;  // Its row shape may differ between frames.
  };
  struct Output {
    int reg = -1;  // -1: no register needs it.
    bool is_stacked = true;
  };

  Kind kind = Kind::kVectorised;
  int function = -1;
  int body = -1;
  std::vector<Input> inputs;
  std::vector<int> captures;
  std::vector<Output> outputs;
  int unit = -1;  // The unit that runs it; -1: none does.
  bool has_dynamic_inputs = false;
};

struct BatchedProgram {
  int entry_body = 0;
  int num_captures = 0;
  int num_events = 0;  // Of all bodies.
  std::vector<BatchedBody> bodies;
  std::vector<BatchedBlock> blocks;
};

// How the gradient of one block is computed.
struct BatchedGradient {
  int function = -1;          // -1: the block has no gradient.
  std::vector<int> outputs;   // Forward outputs whose gradients it takes.
  std::vector<int> captures;  // It takes these after the residuals.
  std::vector<int> inputs;    // Forward inputs whose gradients it returns.
  std::vector<int> slots;     // Accumulators that its further outputs go to.
};

struct BatchedBackwardProgram {
  std::vector<BatchedGradient> gradients;  // By block.
};

// Decodes the attribute `program` of LaunchBatched. Returns false and says why
// in `*error` if an index is out of range or the list is too short or long, so
// that the runtime need not check again.
bool DecodeBatchedProgram(const std::vector<int>& code, int num_functions,
                          BatchedProgram* program, std::string* error);

// Decodes the attribute `program` of LaunchBatchedBackward. What refers to the
// forward program is checked by CheckBackwardProgram.
bool DecodeBackwardProgram(const std::vector<int>& code, int num_functions,
                           int num_slots, BatchedBackwardProgram* program,
                           std::string* error);

// Checks that `backward` is a backward program of `forward`.
bool CheckBackwardProgram(const BatchedProgram& forward,
                          const BatchedBackwardProgram& backward,
                          std::string* error);

// For each block c the blocks that can become ready, in any frame, because c
// has run: [c][b]. Follows events, calls and returns without regard to who
// called, so it may say yes too often, never too rarely.
std::vector<std::vector<bool>> ReachableBlocks(const BatchedProgram& program);

// The units that start whenever the one event fires that they wait for: their
// pending counts need not be kept. In bodies with loops, or where an event
// could fire itself, none.
std::vector<bool> UnitsThatStartAtOnce(const BatchedBody& body);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_BATCHED_PROGRAM_H_
