package import MienIdentity
package import MienStore

/// The reference registry of the store as a source.
package struct RegistrySource: IdentityDataSource {
    package let name = "registry"
    package let isSimulated = false
    let store: Store

    package init(store: Store) { self.store = store }

    package func compare(_ person: PersonalData) async throws(IdentitySourceError) -> SourceAnswer {
        do {
            return SourceAnswer(
                comparing: person,
                with: try await store.read { try $0.registry.candidates(for: person) })
        } catch { throw .unavailable }
    }
}
