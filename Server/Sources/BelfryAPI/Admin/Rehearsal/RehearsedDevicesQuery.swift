import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire
import Hummingbird

/// The expected result for the message center: the message is placed, or the center is full.
private enum RehearsedMessage: String, CaseIterable {
    case placed, crowded
}

/// Whether devices would get the campaign.
private enum RehearsedReach: String, CaseIterable {
    case yes, no
}

extension AdminCall {
    /// The devices of a rehearsal that the query asks for.
    func rehearsedSelection() throws(APIError) -> RehearsedSelection {
        var selection = RehearsedSelection()
        if let state = try word("state", of: DeliveryState.self) {
            let reason = try text("reason").map { DeliveryReason(rawValue: $0) }
            selection.outcome = RehearsedOutcome(state: state, reason: reason)
        }
        selection.isReached = try word("reached", of: RehearsedReach.self).map { $0 == .yes }
        (selection.from, selection.to) = try EventQuery.times(request)
        if let trait = try word("by", of: RehearsedTrait.self) {
            selection.group = RehearsedSelection.Group(trait, try text("name"))
        }
        let message = try word("message", of: RehearsedMessage.self)
        selection.isPlaced = message == .placed
        selection.isCrowded = message == .crowded
        return selection
    }
}

extension RehearsalRoutes {
    /// The query parameters that select devices of a rehearsal.
    static let deviceParameters: [OperationParameter] = [
        OperationParameter(
            name: "state", place: .query, schema: .cases(of: DeliveryState.self),
            description: "Only devices with this outcome; absent: all."
        ),
        OperationParameter(
            name: "reason", place: .query, schema: .string(),
            description: "With `state`: only those with this reason; absent: those without one."
        ),
        OperationParameter(
            name: "reached", place: .query, schema: .cases(of: RehearsedReach.self),
            description: "Only devices that would get it, or only those that would not."
        ),
        OperationParameter(
            name: "from", place: .query, schema: .of(Timestamp.self),
            description: "Only devices that would get it, or end, at this time or later."
        ),
        OperationParameter(
            name: "to", place: .query, schema: .of(Timestamp.self),
            description: "Only devices that would get it, or end, before this time."
        ),
        OperationParameter(
            name: "by", place: .query, schema: .cases(of: RehearsedTrait.self),
            description: "Only devices of one platform, zone or locale: the one in `name`."
        ),
        OperationParameter(
            name: "name", place: .query, schema: .string(),
            description: """
                With `by`: a name of `byPlatform`, `byZone` or `byLocale` of the rehearsal; absent: the devices that \
                report none.
                """
        ),
        OperationParameter(
            name: "message", place: .query, schema: .cases(of: RehearsedMessage.self),
            description: """
                Only devices for which a message would be placed in a message center, or only those on which \
                it would displace an older message from the center.
                """
        ),
    ]
}
