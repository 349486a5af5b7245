import Foundation
import MienTesting

/// Judges the emails that servers with one outbox folder wrote.
struct ManyMail {
    private let outbox: URL

    init(outbox: URL) { self.outbox = outbox }

    /// Waits until each acknowledged invitation was mailed. The message of a server that died is claimed
    /// by another one within two minutes.
    ///
    /// - Returns: what is wrong; empty if each went out, and none under two IDs.
    func judge(_ invited: [String]) async throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(180)
        while ContinuousClock.now < deadline,
            try !Set(invited).isSubset(of: recipients().keys)
        {
            try await Task.sleep(for: .milliseconds(200))
        }
        let found = try recipients()
        var faults: [String] = []
        for address in invited where found[address] == nil {
            faults.append("the invitation of \(address) was acknowledged and never mailed")
        }
        for (address, ids) in found where ids.count != 1 {
            faults.append("the invitation of \(address) has \(ids.count) IDs")
        }
        return faults
    }

    /// The IDs of the messages to each recipient. A repeated delivery has the same one.
    private func recipients() throws -> [String: Set<String>] {
        let files = try FileManager.default.contentsOfDirectory(
            at: outbox, includingPropertiesForKeys: nil)
        var found: [String: Set<String>] = [:]
        for file in files where file.pathExtension == "eml" {
            // Another server may replace it at this moment.
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            func header(_ name: String) -> String? {
                text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("\(name): ") }
                    .map { $0.dropFirst(name.count + 2).trimmingCharacters(in: ["<", ">", " "]) }
            }
            guard let recipient = header("To"), let id = header("Message-ID") else { continue }
            found[recipient, default: []].insert(id)
        }
        return found
    }
}
