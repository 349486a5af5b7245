package import MienFace

extension DescriptorReader.Outcome {
    /// The descriptors with their people, in the order of ``readings``.
    package func labeled(_ collection: PhotoCollection) throws -> LabeledDescriptors {
        guard let first = readings.first else {
            throw Failure(
                .badInput, "folder.no-faces", "\(collection.folder): no photo has a face")
        }
        var set = LabeledDescriptors(dimension: first.descriptor.dimensions)
        for reading in readings {
            let vector = reading.descriptor.withValues { values in values.indices.map { values[$0] }
            }
            try set.append(vector, of: collection.photos[reading.photo].person)
        }
        return set
    }

    /// The name of each person of ``labeled(_:)``, by index.
    package func names(of set: LabeledDescriptors, _ collection: PhotoCollection) -> [String] {
        var names = [String](repeating: "", count: set.personCount)
        for (index, reading) in readings.enumerated() {
            names[set.people[index]] = collection.photos[reading.photo].person
        }
        return names
    }
}
