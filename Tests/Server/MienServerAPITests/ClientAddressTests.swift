import Testing

@testable import MienServer
@testable import MienServerCore

@Suite struct ClientAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
        ("::FFFF:c000:0201", "192.0.2.1"), ("0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:DB8:0001:2::9", "2001:db8:1:2::/64"),
        ("::1", "0:0:0:0::/64"), ("::", "0:0:0:0::/64"), ("fe80::1:2:3:4", "fe80:0:0:0::/64"),
        ("64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"),
    ])
    func `counted by`(text: String, key: String) { #expect(ClientAddress(text)?.key == key) }

    @Test(arguments: [
        "", "unknown", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.-4", "1.2.3.+4",
        "1.2.3.٤", "1.2.3.04", "::ffff:1.2.3.04", ":", ":::", "1::2::3", "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "12345::", "g::", "::1.2.3.4:5", "1.2.3.4::",
        "[::1]", "1.2.3.4:80", "fe80::1%eth0",
    ])
    func `no address`(text: String) { #expect(ClientAddress(text) == nil) }
}
