/// The next action of a device in a soak, by its share of a hundred calls.
enum SoakAction: String, CaseIterable, Sendable {
    case events
    case manyEvents
    case registration
    case messageCenters
    case inAppSync
    case badge
    case inbox

    var share: Int {
        switch self {
        case .events: 50
        case .manyEvents: 10
        case .registration: 8
        case .messageCenters: 12
        case .inAppSync: 14
        case .badge: 4
        case .inbox: 2
        }
    }

    /// - Parameter draw: a random number from 0 to 99.
    static func chosen(by draw: Int) -> SoakAction {
        var below = 0
        for action in allCases {
            below += action.share
            if draw < below { return action }
        }
        return .events
    }
}
