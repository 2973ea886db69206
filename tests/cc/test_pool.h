// Schedulers for tests of the ready queue.
#ifndef RECURSIVE_TF_TESTS_CC_TEST_POOL_H_
#define RECURSIVE_TF_TESTS_CC_TEST_POOL_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace recursive_tf {

// Keeps what is scheduled until the test runs it, on the test's own thread.
class ManualPool final {
 public:
  void Schedule(std::function<void()> closure) {
    ++num_scheduled_;
    closures_.push_back(std::move(closure));
  }

  int num_scheduled() const { return num_scheduled_; }

  void RunAll() {
    while (!closures_.empty()) {
      std::function<void()> closure = std::move(closures_.front());
      closures_.pop_front();
      closure();
    }
  }

 private:
  std::deque<std::function<void()>> closures_;
  int num_scheduled_ = 0;
};

// A few threads. The destructor runs all that was scheduled, then joins them.
class ThreadPool final {
 public:
  explicit ThreadPool(int num_threads) {
    for (int i = 0; i < num_threads; ++i) {
      threads_.emplace_back([this] { Work(); });
    }
  }

  ~ThreadPool() {
    {
      std::lock_guard<std::mutex> lock(mu_);
      is_closing_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void Schedule(std::function<void()> closure) {
    {
      std::lock_guard<std::mutex> lock(mu_);
      closures_.push_back(std::move(closure));
    }
    changed_.notify_one();
  }

 private:
  void Work() {
    while (true) {
      std::function<void()> closure;
      {
        std::unique_lock<std::mutex> lock(mu_);
        changed_.wait(lock,
                      [this] { return is_closing_ || !closures_.empty(); });
        if (closures_.empty()) return;
        closure = std::move(closures_.front());
        closures_.pop_front();
      }
      closure();
    }
  }

  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> closures_;
  bool is_closing_ = false;
  std::vector<std::thread> threads_;
};

// Runs `work(i)` for i in [0, num_threads) at the same time, and waits.
inline void RunInThreads(int num_threads,
                         const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < num_threads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_TESTS_CC_TEST_POOL_H_
