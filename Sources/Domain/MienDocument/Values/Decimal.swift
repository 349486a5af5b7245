/// The number that ASCII digits write, or `nil` for anything else.
func decimal(_ digits: some Collection<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count <= 18, digits.allSatisfy({ (48...57).contains($0) }) else {
        return nil
    }
    return digits.reduce(0) { 10 * $0 + Int($1 - 48) }
}
