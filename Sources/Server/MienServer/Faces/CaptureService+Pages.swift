package import MienAPI
package import MienCore
internal import MienJourney
internal import MienStore

/// Facts that the capture page needs before it begins.
extension CaptureService {
    package struct Summary: Sendable {
        package let id: CaptureID
        package let app: AppID
        /// `authentication` or `registration`.
        package let purpose: String
        package let answer: CaptureAnswer
    }

    /// - Returns: `nil` if there is no such capture, or if it has expired.
    package func summary(token: String) async throws -> Summary? {
        do {
            let record = try await session(token)
            let answer = try await status(token: token)
            guard let (current, content) = try? await opened(record.id) else { return nil }
            return Summary(
                id: current.id, app: current.app, purpose: content.purpose.rawValue,
                answer: answer)
        } catch is Problem { return nil }
    }

    private func opened(_ id: CaptureID) async throws -> (CaptureRecord, Content) {
        guard let record = try await store.read({ try $0.captures.find(id) }) else {
            throw Problem(.captureClosed)
        }
        return (record, try Self.opened(record))
    }
}

extension CaptureService {
    /// Cancels the capture of a page. One that has ended stays as it is.
    package func cancelPage(token: String) async throws { _ = try await cancel(token: token) }
}
