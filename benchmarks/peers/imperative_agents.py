"""Proximal policy optimization (Schulman et al. 2017) on CartPole, as people write it.

Plain Python plays episodes and computes advantages; two functions of TensorFlow, one that acts and
one that learns, are what is made graphs of. An iteration is a number of plays, then epochs over
them which end early where the policy has moved too far. Numbers are drawn from a generator whose
state is a variable, so that all arms see the same episodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from benchmarks.peers.program import Missing, Program

_DISCOUNT, _SMOOTHING = 0.99, 0.95
_CLIP, _MAX_KL = 0.2, 0.015


def cart_pole() -> Any:
  """Returns gymnasium's environment.

  Raises:
    Missing: If gymnasium is not installed.
  """
  try:
    import gymnasium
  except ImportError:
    raise Missing("gymnasium is not installed (pip install -e '.[bench]')") from None
  return gymnasium.make("CartPole-v1")


class Agent(tf.Module):
  """An actor and a critic."""

  def __init__(self, width: int):
    super().__init__()
    self.body = keras.layers.Dense(width, activation="tanh")
    self.policy = keras.layers.Dense(2)
    self.value = keras.layers.Dense(1)
    self.body.build((None, 4))
    self.policy.build((None, width))
    self.value.build((None, width))
    self.generator = tf.random.Generator.from_seed(1)

  def __call__(self, observations):
    hidden = self.body(observations)
    return self.policy(hidden), self.value(hidden)[:, 0]

  @property
  def weights(self):
    return [v for layer in (self.body, self.policy, self.value) for v in layer.trainable_variables]


def ppo(size: str, environment: Callable[[], Any] = cart_pole, num_epochs: int = 4) -> Program:
  """Iterations of PPO: 32 plays or 256, and what is learnt from them."""
  width, length = {"small": (16, 32), "large": (128, 256)}[size]
  agent = Agent(width)
  optimizer = keras.optimizers.Adam(3e-4)
  variables = agent.weights
  optimizer.build(variables)
  world = environment()
  start = agent.generator.state.numpy()

  def act(observation):
    logits, values = agent(observation[tf.newaxis])
    log_probs = tf.nn.log_softmax(logits)[0]
    drawn = agent.generator.uniform([2], 1e-6, 1.0)
    action = tf.argmax(log_probs - tf.math.log(-tf.math.log(drawn)))
    return action, log_probs[action], values[0]

  def loss_of(observations, actions, before, advantages, returns):
    logits, values = agent(observations)
    log_probs = tf.nn.log_softmax(logits)
    chosen = tf.gather(log_probs, actions, batch_dims=1)
    ratio = tf.exp(chosen - before)
    clipped = tf.clip_by_value(ratio, 1 - _CLIP, 1 + _CLIP)
    gain = tf.reduce_mean(tf.minimum(ratio * advantages, clipped * advantages))
    entropy = -tf.reduce_mean(tf.reduce_sum(tf.exp(log_probs) * log_probs, axis=1))
    loss = 0.5 * tf.reduce_mean((returns - values) ** 2) - gain - 0.01 * entropy
    return loss, tf.reduce_mean(before - chosen)

  def gradients_of(*batch):
    with tf.GradientTape() as tape:
      loss, divergence = loss_of(*batch)
    gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 0.5)
    return loss, divergence, gradients

  def learn(observations, actions, before, advantages, returns):
    for _ in range(num_epochs):
      loss, divergence, gradients = gradients_of(observations, actions, before, advantages, returns)
      if divergence > 1.5 * _MAX_KL:
        break
      optimizer.apply_gradients(zip(gradients, variables, strict=True))
    return loss

  def learn_in_graph(*batch):
    def epoch(count, loss, is_over):
      del loss
      loss, divergence, gradients = gradients_of(*batch)
      is_over = divergence > 1.5 * _MAX_KL

      def update():
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return True

      tf.cond(is_over, lambda: True, update)
      return count + 1, loss, is_over

    return tf.while_loop(
      lambda count, loss, is_over: (count < num_epochs) & ~is_over, epoch, (0, 0.0, False)
    )[1]

  def around(decorate, learn):
    acting, learning = decorate(act), decorate(learn)
    observation, _ = world.reset(seed=0)

    def iteration():
      nonlocal observation
      plays = []
      for _ in range(length):
        action, log_prob, value = acting(tf.constant(observation, tf.float32))
        following, reward, is_terminal, is_cut, _ = world.step(int(action))
        is_over = is_terminal or is_cut
        plays.append((observation, action, log_prob, value, float(reward), is_over))
        observation = world.reset()[0] if is_over else following
      observations, actions, log_probs, values, rewards, overs = zip(*plays, strict=True)
      last = 0.0 if overs[-1] else float(acting(tf.constant(observation, tf.float32))[2])
      advantages = advantages_of(rewards, [float(value) for value in values], overs, last)
      returns = advantages + np.array(values, np.float32)
      advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
      return learning(
        tf.constant(np.array(observations, np.float32)),
        tf.stack(actions),
        tf.stack(log_probs),
        tf.constant(advantages),
        tf.constant(returns),
      )

    return iteration

  def reset():
    agent.generator.state.assign(start)

  return Program(learn, [()], learn_in_graph, variables, reset, around)


def advantages_of(rewards, values, overs, last) -> np.ndarray:
  """Returns generalized advantages (Schulman et al. 2016), float32 [T].

  Args:
    rewards, values, overs: of each play; whether an episode ended with it.
    last: the value of what follows the last play.
  """
  found, advantage = [], 0.0
  for reward, value, is_over in zip(
    reversed(rewards), reversed(values), reversed(overs), strict=True
  ):
    following = 0.0 if is_over else last
    advantage = 0.0 if is_over else advantage
    advantage = reward + _DISCOUNT * following - value + _DISCOUNT * _SMOOTHING * advantage
    found.insert(0, advantage)
    last = value
  return np.array(found, np.float32)
