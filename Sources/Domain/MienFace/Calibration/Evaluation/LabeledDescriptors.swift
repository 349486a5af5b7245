/// Descriptors of photos of known people, for calibration and evaluation.
///
/// These are real people's faces. They are held in memory only while needed, and printing or
/// dumping shows only their number.
public struct LabeledDescriptors: Sendable {
    public let dimension: Int
    /// The person in each photo, as an index 0..<``personCount``.
    public private(set) var people: [Int] = []
    public private(set) var personCount = 0
    var rows: VectorRows
    private var indices: [String: Int] = [:]

    /// - Precondition: `dimension` > 0.
    public init(dimension: Int) {
        self.dimension = dimension
        rows = VectorRows(dimension: dimension)
    }

    public var photoCount: Int { people.count }

    /// Adds one photo of `person`, described by a unit vector.
    ///
    /// - Returns: The photo's number, counted from 0.
    /// - Throws: `VectorError` when `vector` is not a unit vector.
    @discardableResult public mutating func append(_ vector: [Float], of person: String)
        throws(VectorError) -> Int
    {
        try VectorError.check(vector, dimension: dimension)
        append(packed: rows.packed(vector), of: person)
        return photoCount - 1
    }

    mutating func append(packed vector: [VectorRows.Block], of person: String) {
        let index = indices[person] ?? personCount
        if index == personCount {
            indices[person] = index
            personCount += 1
        }
        people.append(index)
        rows.append(packed: vector)
    }

    /// Adds a vector of a person who is in the set.
    mutating func append(_ vector: [Float], ofPerson index: Int) {
        people.append(index)
        rows.append(packed: rows.packed(vector))
    }

    /// Returns the descriptor of photo `index`.
    public subscript(index: Int) -> [Float] { rows[index] }

    /// The number of photos of each person.
    public var photosPerPerson: [Int] {
        people.reduce(into: [Int](repeating: 0, count: personCount)) { $0[$1] += 1 }
    }

    /// The first photo of each person.
    var firstPhotos: [Int] {
        var first = [Int](repeating: -1, count: personCount)
        for (photo, person) in people.enumerated() where first[person] < 0 { first[person] = photo }
        return first
    }

    /// The number of pairs of two photos of one person.
    public var matedPairCount: Int { photosPerPerson.reduce(0) { $0 + $1 * ($1 - 1) / 2 } }

    /// The number of pairs of photos of two people.
    public var impostorPairCount: Int { photoCount * (photoCount - 1) / 2 - matedPairCount }
}

extension LabeledDescriptors: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹\(photoCount) photos of \(personCount) people›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
