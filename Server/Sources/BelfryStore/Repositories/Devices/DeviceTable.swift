/// Where the row of a device lies. Both tables have the same columns (FLEET-2).
package enum DeviceTable: Hashable, Sendable, CaseIterable {
    case living
    /// Of devices that are dead: they are found by their number, id, contact and app alone, and nothing is sent to them.
    case dormant

    var name: SQLText {
        switch self {
        case .living: "devices"
        case .dormant: "dormant_devices"
        }
    }

    /// Behind `FROM`, so that a statement names the columns as those of `devices`.
    var source: SQLText {
        switch self {
        case .living: "devices"
        case .dormant: "dormant_devices devices"
        }
    }

    /// What is found in one of them. The second is asked only where the first has nothing, so devices that live pay
    /// nothing for the others.
    static func first<Found>(_ look: (DeviceTable) throws -> Found?) rethrows -> Found? {
        for table in allCases {
            if let found = try look(table) { return found }
        }
        return nil
    }

    /// What is found in both, first among the devices that live.
    static func both<Found>(_ look: (DeviceTable) throws -> [Found]) rethrows -> [Found] {
        try allCases.flatMap(look)
    }
}
