import Foundation
import MienAPI
import MienTesting
import Testing

@testable import MienStore

@Suite struct FreedSpaceTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private static func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    @Test func `space of erased data is given back, some stays for the next writes`() async throws {
        let path = folder("mien.sqlite").path, driver = try SQLiteDriver(path: path)
        _ = try await driver.write(.always) {
            try $0.execute("CREATE TABLE picture (id INTEGER PRIMARY KEY, content BLOB)", [])
        }
        let content = [UInt8](repeating: 7, count: 1 << 20)
        for id in 0..<24 {
            _ = try await driver.write(.process) {
                try $0.execute(
                    "INSERT INTO picture VALUES (?, ?)", [.integer(Int64(id)), .blob(content)])
            }
        }
        _ = try await driver.write(.always) {
            $0.leaveNoTrace()
            // The last ones stay: what is behind erased data moves forward.
            return try $0.execute("DELETE FROM picture WHERE id < 22", [])
        }
        let size = try await Patience.see {
            try Self.size(path)
        } until: {
            $0 <= 8 << 20
        }
        #expect(size > 4 << 20 && size <= 8 << 20, "\(size)")
        let rows = try await driver.read { try $0.rows("SELECT content FROM picture", []) }
        #expect(try rows.map { try $0.blob(0) } == [content, content])
        try driver.close()
    }
}
