// A frame that cannot be started ends as others do: from the ready queue.

#include "kernels/runtime/activation.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tensorflow/core/framework/cancellation.h"
#include "tensorflow/core/framework/device_base.h"
#include "tests/cc/test_pool.h"

namespace recursive_tf {
namespace {

namespace tf = tensorflow;

// A forward run of one body that takes a frame and one argument. What the tests
// do ends before an executor is needed, so that there is none.
class ActivationTest : public testing::Test {
 protected:
  ActivationTest() {
    params_.device = &device_;
    params_.cancellation_manager = &cancellation_;
    ctx_ = std::make_unique<tf::OpKernelContext>(&params_, /*num_outputs=*/0);
    std::vector<Body> bodies(1);
    bodies[0].key = "f_0";
    bodies[0].name = "f";
    bodies[0].num_inputs = 2;
    bodies[0].num_outputs = 1;
    table_ = std::make_shared<BodyTable>(nullptr, std::move(bodies));
    queue_ = std::make_shared<ReadyQueue>(
        ReadyPolicy::kDeepestFirst, /*max_workers=*/1,
        [this](std::function<void()> drain) { pool_.Schedule(drain); });
    forward_ = std::make_shared<ForwardRun>(table_, queue_, /*max_depth=*/3,
                                            /*keeps_residuals=*/true,
                                            /*is_serialized=*/false);
    forward_->capture_begin = {0, 0};
    forward_->num_results = {1};
    backward_ = std::make_shared<BackwardRun>(table_, queue_, forward_,
                                              /*consumes=*/true);
    backward_->layouts.resize(1);
  }

  FrameCallback Done() {
    return [this](const absl::Status& status, std::vector<tf::Tensor>) {
      ++num_done_;
      status_ = status;
    };
  }

  void Invoke(int parent_depth = 0, int num_args = 1) {
    const ArgPointers args(num_args, &one_);
    InvokeForward(ctx_.get(), forward_, 0, parent_depth, 1, args, Done());
  }
  void InvokeGradient(uint64_t key, int num_args = 1) {
    const ArgPointers args(num_args, &one_);
    InvokeBackward(ctx_.get(), backward_, 0, 0, key, args, Done());
  }

  // Not before the queue's turn, then once, with the short status.
  void ExpectEndsLater() {
    EXPECT_EQ(num_done_, 0);
    pool_.RunAll();
    EXPECT_EQ(num_done_, 1);
    EXPECT_TRUE(absl::IsAborted(status_)) << status_;
  }

  tf::Tensor one_{1.0f};
  tf::DeviceBase device_{tf::Env::Default()};
  tf::CancellationManager cancellation_;
  tf::OpKernelContext::Params params_;
  std::unique_ptr<tf::OpKernelContext> ctx_;
  ManualPool pool_;
  std::shared_ptr<BodyTable> table_;
  std::shared_ptr<ReadyQueue> queue_;
  std::shared_ptr<ForwardRun> forward_;
  std::shared_ptr<BackwardRun> backward_;
  int num_done_ = 0;
  absl::Status status_;
};

TEST_F(ActivationTest, ARunThatHasFailed) {
  (void)forward_->core.Fail(absl::InternalError("earlier"), 0, 1);
  Invoke();
  ExpectEndsLater();
  EXPECT_TRUE(absl::IsInternal(forward_->core.first_error()));
}

TEST_F(ActivationTest, TooDeep) {
  Invoke(/*parent_depth=*/3);
  ExpectEndsLater();
  EXPECT_TRUE(absl::IsInvalidArgument(forward_->core.first_error()));
}

TEST_F(ActivationTest, WrongNumberOfArguments) {
  Invoke(/*parent_depth=*/0, /*num_args=*/2);
  ExpectEndsLater();
  EXPECT_EQ(forward_->core.first_error().message(),
            "recursive_tf: body takes 2 inputs, was given 3 [SubGraph 'f', "
            "frame at depth 1]");
}

TEST_F(ActivationTest, Cancelled) {
  cancellation_.StartCancel();
  Invoke();
  ExpectEndsLater();
  EXPECT_TRUE(absl::IsCancelled(forward_->core.first_error()));
}

TEST_F(ActivationTest, ARunThatHasEnded) {
  forward_->core.ReleaseBodies();
  Invoke();
  ExpectEndsLater();
  EXPECT_TRUE(absl::IsFailedPrecondition(forward_->core.first_error()));
}

TEST_F(ActivationTest, NoResiduals) {
  InvokeGradient(/*key=*/7);
  ExpectEndsLater();
  EXPECT_TRUE(absl::IsInternal(backward_->core.first_error()));
}

TEST_F(ActivationTest, AGradientOfAnotherShape) {
  ForwardRun::FrameRecord record;
  record.results.push_back(tf::TensorShape({2}));
  ASSERT_TRUE(forward_->Stash(1, std::move(record)).ok());
  InvokeGradient(/*key=*/1);
  ExpectEndsLater();
  EXPECT_TRUE(absl::IsInvalidArgument(backward_->core.first_error()));
}

TEST_F(ActivationTest, AGradientInARunThatHasFailed) {
  (void)backward_->core.Fail(absl::InternalError("earlier"), 0, 1);
  InvokeGradient(/*key=*/1);
  ExpectEndsLater();
}

// Each completion starts a frame that ends at once: on one thread, by one drain
// loop, and on a C++ stack that a hundred thousand calls in calls would burst.
TEST_F(ActivationTest, AChainOfFramesThatEndAtOnceUsesConstantStack) {
  constexpr int kNumFrames = 1'000'000;
  std::function<void()> next = [&] {
    const ArgPointers args(1, &one_);
    InvokeForward(ctx_.get(), forward_, 0, /*parent_depth=*/3, 1, args,
                  [&](const absl::Status&, std::vector<tf::Tensor>) {
                    if (++num_done_ < kNumFrames) next();
                  });
  };
  next();
  pool_.RunAll();
  EXPECT_EQ(num_done_, kNumFrames);
  EXPECT_EQ(pool_.num_scheduled(), 1);
}

}  // namespace
}  // namespace recursive_tf
