/// Exit codes that scripts can use.
public enum Outcome: Int32, Error {
    case match = 0
    case noMatch = 1
    case badInput = 2
    case notSetUp = 3
}
