/// The transactions that holders of a lease committed, in the order of their commits.
public struct FencedLog: Sendable {
    public struct Commit: Sendable, Hashable {
        public let holder: String
        /// The fencing number of the lease under which the holder wrote.
        public let fence: Int64

        public init(holder: String, fence: Int64) { (self.holder, self.fence) = (holder, fence) }
    }

    public let commits: [Commit]

    public init(_ commits: [Commit]) { self.commits = commits }

    /// A commit under a lease that had passed on, or a number with two holders; `nil` if there is
    /// none.
    public var violation: String? {
        var holders: [Int64: String] = [:], highest = Int64.min
        for (number, commit) in commits.enumerated() {
            if let holder = holders[commit.fence], holder != commit.holder {
                return
                    "\(holder) and \(commit.holder) both committed under lease \(commit.fence)"
            }
            holders[commit.fence] = commit.holder
            if commit.fence < highest {
                return
                    "commit \(number) of \(commit.holder) was under lease \(commit.fence), after one under \(highest)"
            }
            highest = commit.fence
        }
        return nil
    }
}
