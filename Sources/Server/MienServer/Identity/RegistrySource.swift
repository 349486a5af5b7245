package import MienIdentity
internal import MienStore

/// The reference registry of the store as a source.
package struct RegistrySource: IdentityDataSource {
    package let name = "registry"
    package let isSimulated = false
    let store: Store
    var shortNames: ShortNames = .standard

    package func compare(_ query: SourceQuery) async throws(IdentitySourceError) -> SourceAnswer {
        do {
            return SourceAnswer(
                comparing: query.person,
                with: try await store.read { try $0.registry.candidates(for: query.person) },
                shortNames: shortNames)
        } catch { throw .unavailable }
    }
}
