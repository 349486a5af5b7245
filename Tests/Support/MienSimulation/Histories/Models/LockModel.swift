/// The failures of one method of an account, as the lock gate counts them for devices without a
/// counter of their own. Written apart from `AuthenticatorLock`, against which it is tested.
public struct LockModel: SequentialModel {
    public struct State: Hashable, Sendable {
        /// Failures since the last success anywhere.
        public var total = 0
        /// Failures since the last success on such a device.
        public var failures = 0
        /// In milliseconds.
        public var lockedUntil: Int64?
        public var isHeld = false
    }

    /// A call, the method it is about, and the time of the server's clock in milliseconds.
    public struct Call: Sendable, Hashable {
        public let subject: String
        public let action: Action
        public let at: Int64

        public init(_ subject: String, _ action: Action, at: Int64) {
            (self.subject, self.action, self.at) = (subject, action, at)
        }
    }

    public enum Action: Sendable, Hashable {
        /// A guess begins.
        case begin
        /// A guess that was counted is right.
        case succeed
        /// A guess that was counted at `begun` was never judged.
        case abandon(begun: Int64)
        /// An administrator locks, or unlocks.
        case hold, release
        /// Reads the number of failures.
        case total
        case status
    }

    public enum Reply: Sendable, Hashable {
        /// The guess may be judged.
        case counted
        /// It may not be judged, and was not counted.
        case refused
        case done
        case total(Int)
        case open, locked, disabled
    }

    /// The failures in a row after which each further one locks.
    public let failedAttempts: Int
    public let lockoutMilliseconds: Int64
    /// The failures after which only an administrator unlocks.
    public let disableAfter: Int

    public init(failedAttempts: Int, lockoutMilliseconds: Int64, disableAfter: Int) {
        (self.failedAttempts, self.disableAfter) = (failedAttempts, disableAfter)
        self.lockoutMilliseconds = lockoutMilliseconds
    }

    public var initial: State { State() }

    public func key(of call: Call) -> String { call.subject }

    public func apply(_ call: Call, to state: inout State) -> Reply {
        switch call.action {
        case .begin: return begin(at: call.at, &state)
        case .succeed:
            let others = max(0, state.total - 1)
            // Guesses that have used up the total stay: only an administrator resets them.
            if others >= disableAfter {
                state.total = others
            } else {
                state = State(isHeld: state.isHeld)
            }
            return .done
        case .abandon(let begun):
            state.total = max(0, state.total - 1)
            state.failures = max(0, state.failures - 1)
            if state.failures < failedAttempts || state.lockedUntil == begun + lockoutMilliseconds {
                state.lockedUntil = nil
            }
            return .done
        case .hold:
            state.isHeld = true
            return .done
        case .release:
            state = State()
            return .done
        case .total: return .total(state.total)
        case .status: return status(of: state, at: call.at)
        }
    }

    private func begin(at now: Int64, _ state: inout State) -> Reply {
        guard status(of: state, at: now) == .open else { return .refused }
        state.total += 1
        state.failures += 1
        state.lockedUntil = state.failures >= failedAttempts ? now + lockoutMilliseconds : nil
        return .counted
    }

    private func status(of state: State, at now: Int64) -> Reply {
        if state.isHeld || state.total >= disableAfter { return .disabled }
        return state.lockedUntil.map { now < $0 } ?? false ? .locked : .open
    }
}
