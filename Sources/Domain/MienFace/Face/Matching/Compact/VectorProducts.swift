/// Multiplies vectors of bytes. The processor's own instructions come from outside; the portable ones
/// need none.
public struct VectorProducts: Sendable {
    /// Rows of bytes are as wide as a multiple of this.
    public static let block = 64

    /// Writes the products of a query with consecutive rows.
    ///
    /// The parameters are: rows of −127…127, their width, their number, a query of −32512…32512, and
    /// room for as many sums.
    public typealias One =
        @Sendable (UnsafePointer<Int8>, Int, Int, UnsafePointer<Int16>, UnsafeMutablePointer<Int64>)
        -> Void
    /// Writes the products of several queries with consecutive rows.
    ///
    /// The parameters are: rows of −127…127, their width, their number, queries like the rows, their
    /// number, and room for one sum of each query for each row, row by row.
    public typealias Several =
        @Sendable (
            UnsafePointer<Int8>, Int, Int, UnsafePointer<Int8>, Int, UnsafeMutablePointer<Int32>
        ) -> Void

    let one: One
    let several: Several

    public init(one: @escaping One, several: @escaping Several) {
        (self.one, self.several) = (one, several)
    }

    /// For processors that nothing is known about, and for tests.
    public static let portable = VectorProducts(
        one: { rows, width, count, query, products in
            for row in 0..<count {
                var sum: Int64 = 0
                for column in 0..<width {
                    unsafe sum += Int64(rows[row * width + column]) * Int64(query[column])
                }
                unsafe products[row] = sum
            }
        },
        several: { rows, width, count, queries, queryCount, products in
            for row in 0..<count {
                for query in 0..<queryCount {
                    var sum: Int32 = 0
                    for column in 0..<width {
                        unsafe sum +=
                            Int32(rows[row * width + column])
                            * Int32(queries[query * width + column])
                    }
                    unsafe products[row * queryCount + query] = sum
                }
            }
        })
}
