extension FaceMatcher {
    /// - Throws: ``VectorError`` when the descriptor is another model pack's.
    public func reference(for descriptor: FaceDescriptor) throws(VectorError) -> Reference {
        try reference(for: descriptor.withValues { values in values.indices.map { values[$0] } })
    }

    /// A template is compared by the mean direction of its descriptors.
    public func reference(for template: FaceTemplate) throws(VectorError) -> Reference {
        try reference(for: template.mean)
    }
}
