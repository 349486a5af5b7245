extension FaceMatcher {
    /// - Throws: ``VectorError`` when the descriptor belongs to another model pack.
    public func reference(for descriptor: FaceDescriptor) throws(VectorError) -> Reference {
        try reference(for: descriptor.withValues { values in values.indices.map { values[$0] } })
    }

    /// Prepares a template's mean direction, which comparisons use.
    public func reference(for template: FaceTemplate) throws(VectorError) -> Reference {
        try reference(for: template.mean)
    }
}
