import Testing

@testable import MienServer

@Suite struct AddressConnectionsTests {
    @Test
    func `an address has a connection limit; some more get an error, and further ones are dropped`()
    {
        let connections = AddressConnections(maxPerAddress: 3), told = AddressConnections.maxRefused
        func add(_ count: Int, _ address: String = "a") -> [AddressConnections.Admission] {
            (0..<count).map { _ in connections.add(address) }
        }
        #expect(add(3) == [.taken, .taken, .taken])
        #expect(add(told).allSatisfy { $0 == .refused })
        #expect(add(2) == [.dropped, .dropped])
        #expect(add(1, "b") == [.taken], "other addresses are not affected")

        // A dropped connection was not counted, so removing it frees nothing.
        connections.remove("a", .dropped)
        #expect(add(1) == [.dropped])
        connections.remove("a", .refused)
        #expect(
            add(2) == [.refused, .dropped],
            "there is room for one refusal, but not for a connection")
        connections.remove("a", .taken)
        #expect(add(2) == [.taken, .dropped])

        for _ in 0..<3 { connections.remove("a", .taken) }
        for _ in 0..<told { connections.remove("a", .refused) }
        connections.remove("b", .taken)
        #expect(connections.addresses == 0, "addresses without connections are not stored")
        connections.remove("c", .taken)
        #expect(connections.addresses == 0 && add(1) == [.taken])
    }
}
