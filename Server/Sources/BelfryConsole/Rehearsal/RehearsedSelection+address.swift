import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// The selection of a rehearsal's devices, as a query of an address and as a sentence.
extension RehearsedSelection {
    /// The number of characters that are read of a name in a query.
    private static let maximumLength = 200

    /// Reads the selection from a query. A word that is unknown is ignored.
    init(_ query: FormFields) {
        self.init()
        if let state = DeliveryState(rawValue: query["state"]) {
            let reason = query.optional("reason").map { DeliveryReason(rawValue: String($0.prefix(100))) }
            outcome = RehearsedOutcome(state: state, reason: reason)
        }
        if query["reached"] == "no" { isReached = false }
        from = Timestamp.date(query["from"])
        to = Timestamp.date(query["to"])
        if let trait = RehearsedTrait(rawValue: query["by"]) {
            group = Group(trait, query.optional("name").map { String($0.prefix(Self.maximumLength)) })
        }
        isPlaced = query["message"] == "placed"
        isCrowded = query["message"] == "crowded"
    }

    /// The query with a leading `?`; empty for the whole audience.
    var query: String {
        var parts: [(name: String, value: String)] = []
        if let outcome {
            parts.append(("state", outcome.state.rawValue))
            if let reason = outcome.reason { parts.append(("reason", reason.rawValue)) }
        }
        if isReached == false { parts.append(("reached", "no")) }
        if let from { parts.append(("from", Timestamp.text(from))) }
        if let to { parts.append(("to", Timestamp.text(to))) }
        if let group {
            parts.append(("by", group.trait.rawValue))
            if let name = group.name { parts.append(("name", name)) }
        }
        if isCrowded { parts.append(("message", "crowded")) } else if isPlaced { parts.append(("message", "placed")) }
        guard !parts.isEmpty else { return "" }
        return "?" + parts.map { "\($0.name)=\(WireURL.encoded($0.value))" }.joined(separator: "&")
    }

    func sentence(_ kind: CampaignKind, zone: AppZone) -> String {
        let parts = [
            group?.sentence, time(zone), isReached == false ? "Devices that would not get it." : nil,
            outcome.map { RehearsalWords.sentence($0, kind) },
            isCrowded ? "The message center is full on them: the oldest message there would go out of sight." : nil,
            isPlaced ? "A message would be placed in the message center for them." : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? "All devices of the audience." : parts.joined(separator: " ")
    }

    private func time(_ zone: AppZone) -> String? {
        switch (from, to) {
        case (nil, nil): nil
        case (let from?, nil): "From \(zone.text(from)) on."
        case (nil, let to?): "Before \(zone.text(to))."
        case (let from?, let to?): "From \(AppZone.text(zone.local(from))) to \(zone.text(to))."
        }
    }
}

extension RehearsedSelection.Group {
    fileprivate var sentence: String {
        switch name {
        case nil: "Devices that name no \(trait.word)."
        case RehearsedGroup.others: "Devices of the other \(trait.word)s."
        case let name?: "Devices of the \(trait.word) “\(name.isolated)”."
        }
    }
}

extension RehearsedTrait {
    fileprivate var word: String {
        switch self {
        case .platform: "platform"
        case .zone: "time zone"
        case .locale: "locale"
        }
    }
}
