#include "kernels/core/batched_program.h"

#include <algorithm>
#include <utility>

namespace recursive_tf {

namespace {

constexpr int kVersion = 1;
// A limit on counts, so that a broken program is an error and no huge
// allocation.
constexpr int kMaxCount = 1 << 24;

// Reads ints one by one. After the first error it returns zeros, so that the
// callers need no checks of their own to end.
class Reader final {
 public:
  Reader(const std::vector<int>& code, std::string* error)
      : code_(code), error_(error) {
    error_->clear();
  }

  bool ok() const { return error_->empty(); }

  void Fail(const std::string& what) {
    if (ok()) *error_ = what + " (before int " + std::to_string(at_) + ")";
  }

  int Any() {
    if (!ok()) return 0;
    if (at_ >= code_.size()) {
      Fail("the program ends too early");
      return 0;
    }
    return code_[at_++];
  }

  // An int in [low, high).
  int In(int low, int high, const char* what) {
    const int value = Any();
    if (!ok()) return low;
    if (value < low || value >= high) {
      Fail(std::string(what) + " is " + std::to_string(value) + ", not in [" +
           std::to_string(low) + ", " + std::to_string(high) + ")");
      return low;
    }
    return value;
  }

  int Count(const char* what) { return In(0, kMaxCount, what); }

  // A count, then so many ints in [low, high).
  std::vector<int> List(int low, int high, const char* what) {
    std::vector<int> list;
    const int count = Count(what);
    for (int i = 0; i < count && ok(); ++i) list.push_back(In(low, high, what));
    return list;
  }

  std::vector<RegisterCopy> Copies(int num_sources, int num_targets) {
    std::vector<RegisterCopy> copies;
    const int count = Count("number of copies");
    for (int i = 0; i < count && ok(); ++i) {
      const int source = In(0, num_sources, "source");
      copies.push_back({source, In(0, num_targets, "target")});
    }
    return copies;
  }

  void End() {
    if (ok() && at_ != code_.size()) Fail("the program is too long");
  }

 private:
  const std::vector<int>& code_;
  std::string* const error_;
  size_t at_ = 0;
};

class Decoder final {
 public:
  Decoder(const std::vector<int>& code, int num_functions,
          BatchedProgram* program, std::string* error)
      : reader_(code, error),
        num_functions_(num_functions),
        program_(program) {}

  bool Decode() {
    *program_ = BatchedProgram();
    reader_.In(kVersion, kVersion + 1, "version");
    const int entry = reader_.Count("entry body");
    const int num_bodies = reader_.In(1, kMaxCount, "number of bodies");
    num_blocks_ = reader_.Count("number of blocks");
    program_->num_captures = reader_.Count("number of captures");
    program_->entry_body = entry;
    if (entry >= num_bodies) reader_.Fail("there is no such entry body");
    for (int i = 0; i < num_bodies && reader_.ok(); ++i) {
      program_->bodies.emplace_back();
      ReadBody(num_bodies, &program_->bodies.back());
    }
    for (int i = 0; i < num_blocks_ && reader_.ok(); ++i) {
      program_->blocks.emplace_back();
      ReadBlock(num_bodies, &program_->blocks.back());
    }
    reader_.End();
    if (reader_.ok()) CheckCalls();
    if (reader_.ok()) LinkBlocks();
    return reader_.ok();
  }

 private:
  void ReadBody(int num_bodies, BatchedBody* body) {
    body->num_args = reader_.Count("number of arguments");
    body->num_registers = reader_.Count("number of registers");
    body->num_events = reader_.In(1, kMaxCount, "number of events");
    body->num_groups = reader_.Count("number of result groups");
    body->num_results = reader_.Count("number of results");
    const int num_units = reader_.Count("number of units");
    if (body->num_args > body->num_registers) {
      reader_.Fail("fewer registers than arguments");
    }
    for (int i = 0; i < num_units && reader_.ok(); ++i) {
      body->units.emplace_back();
      ReadUnit(num_bodies, num_units, *body, &body->units.back());
    }
    for (int i = 0; i < body->num_events && reader_.ok(); ++i) {
      body->dependents.push_back(reader_.List(0, num_units, "dependent unit"));
    }
    body->first_event = program_->num_events;
    program_->num_events += body->num_events;
  }

  int Event(const BatchedBody& body) {
    return reader_.In(0, body.num_events, "event");
  }

  void ReadUnit(int num_bodies, int num_units, const BatchedBody& body,
                BatchedUnit* unit) {
    using Kind = BatchedUnit::Kind;
    const int num_registers = body.num_registers;
    unit->kind = static_cast<Kind>(
        reader_.In(0, static_cast<int>(Kind::kLoopNext) + 1, "unit kind"));
    unit->pending = reader_.In(1, kMaxCount, "pending count");
    switch (unit->kind) {
      case Kind::kBlock:
        unit->block = reader_.In(0, num_blocks_, "block");
        unit->event = Event(body);
        return;
      case Kind::kCall:
        unit->callee = reader_.In(0, num_bodies, "callee");
        unit->args = reader_.List(0, num_registers, "argument register");
        unit->results = reader_.List(-1, num_registers, "result register");
        unit->events = reader_.List(0, body.num_events, "group event");
        return;
      case Kind::kMap:
        unit->callee = reader_.In(0, num_bodies, "callee");
        unit->args = reader_.List(0, num_registers, "argument register");
        unit->results = reader_.List(-1, num_registers, "result register");
        unit->event = Event(body);
        for (size_t i = 0; i < unit->results.size() && reader_.ok(); ++i) {
          MapResult result;
          result.dtype = reader_.Count("type");
          for (int dim : reader_.List(-1, kMaxCount, "dimension")) {
            result.shape.push_back(std::max(0, dim));
          }
          unit->map_results.push_back(std::move(result));
        }
        return;
      case Kind::kSwitch:
        unit->is_index = reader_.In(0, 2, "is_index") == 1;
        unit->predicate = reader_.In(0, num_registers, "predicate");
        unit->events = reader_.List(0, body.num_events, "region event");
        if (unit->events.empty() ||
            (!unit->is_index && unit->events.size() != 2)) {
          reader_.Fail("a switch has the wrong number of regions");
        }
        return;
      case Kind::kCopy:
        unit->copies = reader_.Copies(num_registers, num_registers);
        unit->event = Event(body);
        return;
      case Kind::kReturn:
        unit->group = reader_.In(0, body.num_groups, "result group");
        unit->copies = reader_.Copies(num_registers, body.num_results);
        return;
      case Kind::kLoopStart:
      case Kind::kLoopNext:
        unit->copies = reader_.Copies(num_registers, num_registers);
        unit->resets = reader_.List(0, num_units, "unit to reset");
        unit->event = Event(body);
        return;
      case Kind::kLoopTest:
        unit->predicate = reader_.In(0, num_registers, "predicate");
        unit->resets = reader_.List(0, num_units, "unit to reset");
        unit->event = Event(body);
        unit->copies = reader_.Copies(num_registers, num_registers);
        unit->exit_event = Event(body);
        return;
    }
  }

  void ReadBlock(int num_bodies, BatchedBlock* block) {
    block->kind =
        static_cast<BatchedBlock::Kind>(reader_.In(0, 2, "block kind"));
    block->function = reader_.In(0, num_functions_, "function");
    block->body = reader_.In(0, num_bodies, "body of a block");
    if (!reader_.ok()) return;
    const int num_registers = program_->bodies[block->body].num_registers;
    const int num_inputs = reader_.Count("number of block inputs");
    for (int i = 0; i < num_inputs && reader_.ok(); ++i) {
      BatchedBlock::Input input;
      input.reg = reader_.In(0, num_registers, "block input");
      input.is_dynamic = reader_.In(0, 2, "dynamic") == 1;
      block->has_dynamic_inputs |= input.is_dynamic;
      block->inputs.push_back(input);
    }
    block->captures = reader_.List(0, program_->num_captures, "capture");
    const int num_outputs = reader_.Count("number of block outputs");
    for (int i = 0; i < num_outputs && reader_.ok(); ++i) {
      BatchedBlock::Output output;
      output.reg = reader_.In(-1, num_registers, "block output");
      output.is_stacked = reader_.In(0, 2, "stacked") == 1;
      block->outputs.push_back(output);
    }
  }

  void CheckCalls() {
    for (const BatchedBody& body : program_->bodies) {
      for (const BatchedUnit& unit : body.units) {
        if (unit.callee < 0) continue;
        const BatchedBody& callee = program_->bodies[unit.callee];
        if (static_cast<int>(unit.args.size()) != callee.num_args ||
            static_cast<int>(unit.results.size()) != callee.num_results ||
            (unit.kind == BatchedUnit::Kind::kCall &&
             static_cast<int>(unit.events.size()) != callee.num_groups)) {
          reader_.Fail("a call does not fit its callee");
        }
        // A caller that nothing comes back to would wait forever.
        if (unit.kind == BatchedUnit::Kind::kMap && callee.num_groups == 0) {
          reader_.Fail("a mapped call has no results");
        }
      }
    }
  }

  // A block belongs to one body and names its registers, so that one unit at
  // most can run it.
  void LinkBlocks() {
    for (size_t b = 0; b < program_->bodies.size(); ++b) {
      const std::vector<BatchedUnit>& units = program_->bodies[b].units;
      for (size_t u = 0; u < units.size(); ++u) {
        if (units[u].kind != BatchedUnit::Kind::kBlock) continue;
        BatchedBlock& block = program_->blocks[units[u].block];
        if (block.body != static_cast<int>(b)) {
          reader_.Fail("a unit runs a block of another body");
        }
        if (block.unit >= 0) reader_.Fail("two units run the same block");
        block.unit = static_cast<int>(u);
      }
    }
  }

  Reader reader_;
  const int num_functions_;
  BatchedProgram* const program_;
  int num_blocks_ = 0;
};

// The graph of what lets what go on: nodes are the events and the units of all
// bodies.
class ReachGraph final {
 public:
  explicit ReachGraph(const BatchedProgram& program) : program_(program) {
    int num_nodes = program.num_events;
    for (const BatchedBody& body : program.bodies) {
      first_unit_.push_back(num_nodes);
      num_nodes += static_cast<int>(body.units.size());
    }
    next_.resize(num_nodes);
    for (size_t b = 0; b < program.bodies.size(); ++b) AddBody(b);
  }

  // Marks the blocks that can be reached from `block`.
  void Reach(int block, std::vector<bool>* reached) const {
    std::vector<bool> seen(next_.size());
    const BatchedBlock& from = program_.blocks[block];
    if (from.unit < 0) return;
    std::vector<int> agenda = next_[Unit(from.body, from.unit)];
    while (!agenda.empty()) {
      const int node = agenda.back();
      agenda.pop_back();
      if (seen[node]) continue;
      seen[node] = true;
      agenda.insert(agenda.end(), next_[node].begin(), next_[node].end());
    }
    for (size_t b = 0; b < program_.blocks.size(); ++b) {
      const BatchedBlock& to = program_.blocks[b];
      (*reached)[b] = to.unit >= 0 && seen[Unit(to.body, to.unit)];
    }
  }

 private:
  int Event(size_t body, int event) const {
    return program_.bodies[body].first_event + event;
  }
  int Unit(size_t body, int unit) const { return first_unit_[body] + unit; }

  void AddBody(size_t b) {
    const BatchedBody& body = program_.bodies[b];
    for (int e = 0; e < body.num_events; ++e) {
      for (int u : body.dependents[e]) {
        next_[Event(b, e)].push_back(Unit(b, u));
      }
    }
    for (size_t u = 0; u < body.units.size(); ++u) {
      const BatchedUnit& unit = body.units[u];
      std::vector<int>& next = next_[Unit(b, u)];
      if (unit.callee >= 0) {
        next.push_back(Event(unit.callee, 0));
        AddReturns(b, unit);
        continue;
      }
      if (unit.event >= 0) next.push_back(Event(b, unit.event));
      if (unit.exit_event >= 0) next.push_back(Event(b, unit.exit_event));
      for (int e : unit.events) next.push_back(Event(b, e));
    }
  }

  // What the callee returns lets the caller go on.
  void AddReturns(size_t caller, const BatchedUnit& call) {
    const std::vector<BatchedUnit>& units = program_.bodies[call.callee].units;
    for (size_t u = 0; u < units.size(); ++u) {
      if (units[u].kind != BatchedUnit::Kind::kReturn) continue;
      const int event = call.kind == BatchedUnit::Kind::kMap
                            ? call.event
                            : call.events[units[u].group];
      next_[Unit(call.callee, u)].push_back(Event(caller, event));
    }
    // Over no rows, a mapped call comes back at once.
    if (call.kind == BatchedUnit::Kind::kMap) {
      next_[Event(call.callee, 0)].push_back(Event(caller, call.event));
    }
  }

  const BatchedProgram& program_;
  std::vector<int> first_unit_;  // By body.
  std::vector<std::vector<int>> next_;
};

// The events that a unit fires, now or later.
std::vector<int> EventsOf(const BatchedUnit& unit) {
  std::vector<int> events = unit.events;
  if (unit.event >= 0) events.push_back(unit.event);
  if (unit.exit_event >= 0) events.push_back(unit.exit_event);
  return events;
}

// Whether no event of a body can lead to itself: all of them can be taken away,
// one after the other, each when no unit that is left fires it.
bool IsAcyclic(const BatchedBody& body) {
  std::vector<int> num_causes(body.num_events);
  for (const std::vector<int>& units : body.dependents) {
    for (int u : units) {
      for (int e : EventsOf(body.units[u])) ++num_causes[e];
    }
  }
  std::vector<int> agenda;
  for (int e = 0; e < body.num_events; ++e) {
    if (num_causes[e] == 0) agenda.push_back(e);
  }
  int num_taken = 0;
  for (; !agenda.empty(); ++num_taken) {
    const int event = agenda.back();
    agenda.pop_back();
    for (int u : body.dependents[event]) {
      for (int e : EventsOf(body.units[u])) {
        if (--num_causes[e] == 0) agenda.push_back(e);
      }
    }
  }
  return num_taken == body.num_events;
}

}  // namespace

bool DecodeBatchedProgram(const std::vector<int>& code, int num_functions,
                          BatchedProgram* program, std::string* error) {
  return Decoder(code, num_functions, program, error).Decode();
}

bool DecodeBackwardProgram(const std::vector<int>& code, int num_functions,
                           int num_slots, BatchedBackwardProgram* program,
                           std::string* error) {
  *program = BatchedBackwardProgram();
  Reader reader(code, error);
  reader.In(kVersion, kVersion + 1, "version");
  const int num_blocks = reader.Count("number of blocks");
  for (int i = 0; i < num_blocks && reader.ok(); ++i) {
    BatchedGradient gradient;
    gradient.function = reader.In(-1, num_functions, "function");
    gradient.outputs = reader.List(0, kMaxCount, "output");
    gradient.captures = reader.List(0, kMaxCount, "capture");
    gradient.inputs = reader.List(0, kMaxCount, "input");
    gradient.slots = reader.List(0, num_slots, "slot");
    program->gradients.push_back(std::move(gradient));
  }
  reader.End();
  return reader.ok();
}

bool CheckBackwardProgram(const BatchedProgram& forward,
                          const BatchedBackwardProgram& backward,
                          std::string* error) {
  const auto fits = [](const std::vector<int>& indices, size_t size) {
    return std::all_of(indices.begin(), indices.end(),
                       [=](int i) { return i < static_cast<int>(size); });
  };
  error->clear();
  if (backward.gradients.size() != forward.blocks.size()) {
    *error = "the backward program is of another number of blocks";
    return false;
  }
  for (size_t b = 0; b < forward.blocks.size(); ++b) {
    const BatchedGradient& gradient = backward.gradients[b];
    if (!fits(gradient.outputs, forward.blocks[b].outputs.size()) ||
        !fits(gradient.inputs, forward.blocks[b].inputs.size()) ||
        !fits(gradient.captures, forward.num_captures)) {
      *error = "the gradient of block " + std::to_string(b) +
               " does not fit the block";
      return false;
    }
  }
  return true;
}

std::vector<std::vector<bool>> ReachableBlocks(const BatchedProgram& program) {
  const size_t num_blocks = program.blocks.size();
  const ReachGraph graph(program);
  std::vector<std::vector<bool>> reach(num_blocks,
                                       std::vector<bool>(num_blocks));
  for (size_t b = 0; b < num_blocks; ++b) {
    graph.Reach(static_cast<int>(b), &reach[b]);
  }
  return reach;
}

std::vector<bool> UnitsThatStartAtOnce(const BatchedBody& body) {
  std::vector<int> num_events(body.units.size());
  for (const std::vector<int>& units : body.dependents) {
    for (int u : units) ++num_events[u];
  }
  const bool is_acyclic = IsAcyclic(body);
  std::vector<bool> start_at_once;
  for (size_t u = 0; u < body.units.size(); ++u) {
    start_at_once.push_back(is_acyclic && body.units[u].pending == 1 &&
                            num_events[u] == 1);
  }
  return start_at_once;
}

}  // namespace recursive_tf
