import BelfryServices

/// Who may use an operation.
enum OperationAccess: Hashable, Sendable {
    static let contactToken = "contactToken"
    static let adminKey = "adminKey"

    /// Everybody.
    case open
    /// A device that sends its id.
    case device
    /// A device that sends its id. A contact token is optional and proves that it is the linked device.
    case deviceWithOptionalToken
    /// A device with its own contact token (WIRE-22).
    case linkedDevice
    /// A caller with an admin key of this scope (ADM-1).
    case admin(AdminScope)

    var isDevice: Bool {
        switch self {
        case .device, .deviceWithOptionalToken, .linkedDevice: true
        case .open, .admin: false
        }
    }

    var isAdmin: Bool {
        if case .admin = self { true } else { false }
    }

    /// The security requirements, one of which must be met.
    var tree: JSONTree {
        switch self {
        case .open, .device: .list([])
        case .deviceWithOptionalToken: .list([.object([Self.contactToken: .list([])]), .object([:])])
        case .linkedDevice: .list([.object([Self.contactToken: .list([])])])
        case .admin(let scope): .list([.object([Self.adminKey: .list([.string(scope.rawValue)])])])
        }
    }
}
