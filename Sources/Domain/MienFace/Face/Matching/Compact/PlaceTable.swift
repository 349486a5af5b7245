/// Finds the place of an ID in a list, with four bytes for each slot instead of another copy of the ID.
///
/// Open addressing, at most three quarters full. Removing moves the entries behind back, so no slot is
/// marked as removed.
struct PlaceTable: Sendable {
    private var slots: [UInt32] = []
    private var count = 0
    private static let free = UInt32.max

    /// - Parameter ids: The list.
    func find<ID: Hashable>(_ id: ID, in ids: [ID]) -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = home(id)
        while slots[slot] != Self.free {
            let place = Int(slots[slot])
            if ids[place] == id { return place }
            slot = next(slot)
        }
        return nil
    }

    /// Adds the place of an ID that is in the list, and not in the table.
    mutating func insert<ID: Hashable>(_ place: Int, _ ids: [ID]) {
        if (count + 1) * 4 > slots.count * 3 { grow(to: max(16, slots.count * 2), ids) }
        put(place, ids[place])
        count += 1
    }

    /// Removes the place of an ID that is still in the list.
    mutating func remove<ID: Hashable>(_ place: Int, _ ids: [ID]) {
        guard var gap = slot(of: place, ids[place]) else { return }
        count -= 1
        var slot = next(gap)
        while slots[slot] != Self.free {
            let home = home(ids[Int(slots[slot])])
            // An entry may move back to the gap unless its home lies between them.
            let isBetween = gap <= slot ? gap < home && home <= slot : gap < home || home <= slot
            if !isBetween {
                slots[gap] = slots[slot]
                gap = slot
            }
            slot = next(slot)
        }
        slots[gap] = Self.free
    }

    /// Notes that the ID at a place moves to another one. The list is still as it was.
    mutating func move<ID: Hashable>(_ place: Int, to other: Int, _ ids: [ID]) {
        guard let slot = slot(of: place, ids[place]) else { return }
        slots[slot] = UInt32(other)
    }

    mutating func reserve<ID: Hashable>(_ count: Int, _ ids: [ID]) {
        var size = 16
        while count * 4 > size * 3 { size *= 2 }
        if size > slots.count { grow(to: size, ids) }
    }

    private func slot<ID: Hashable>(of place: Int, _ id: ID) -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = home(id)
        while slots[slot] != Self.free {
            if slots[slot] == UInt32(place) { return slot }
            slot = next(slot)
        }
        return nil
    }

    private mutating func grow<ID: Hashable>(to size: Int, _ ids: [ID]) {
        let places = slots.filter { $0 != Self.free }
        slots = [UInt32](repeating: Self.free, count: size)
        for place in places { put(Int(place), ids[Int(place)]) }
    }

    private mutating func put<ID: Hashable>(_ place: Int, _ id: ID) {
        var slot = home(id)
        while slots[slot] != Self.free { slot = next(slot) }
        slots[slot] = UInt32(place)
    }

    private func home<ID: Hashable>(_ id: ID) -> Int {
        Int(truncatingIfNeeded: UInt(bitPattern: id.hashValue) & UInt(slots.count - 1))
    }

    private func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }
}
