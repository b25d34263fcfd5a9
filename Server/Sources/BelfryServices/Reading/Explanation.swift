import BelfryModel
import BelfryStore
import Foundation

/// Why a device did or did not get a campaign, in a word and in a sentence (LED-2).
package struct Explanation: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
        package let at: Date
        package let what: String
        package let detail: String?
    }

    package let state: String
    package let reason: String?
    package let sentence: String
    package let history: [Step]
}

extension Explanation {
    /// - Parameter delivery: nil when the device does not stand in the campaign's ledger.
    init(row: CampaignRow, device: DeviceRow, delivery: DeliveryRow?) {
        let campaign = row.campaign
        guard let delivery else {
            self.init(
                state: "notInAudience", reason: nil, sentence: Self.absence(row, device: device), history: []
            )
            return
        }
        self.init(
            state: delivery.state.rawValue, reason: delivery.reason?.rawValue ?? delivery.note,
            sentence: Self.sentence(delivery, campaign: campaign), history: Self.history(delivery, campaign: campaign)
        )
    }

    private static func absence(_ row: CampaignRow, device: DeviceRow) -> String {
        guard row.campaign.launchedAt != nil else {
            return "The campaign has not been launched; nobody has got it."
        }
        if device.id > row.planEnd {
            return "The device was first seen after the campaign's launch, so it was not in the audience."
        }
        if !row.isPlanned, device.id > row.plannedTo {
            return "The campaign's audience is still being selected; whether the device is in it is not known yet."
        }
        return "The device was not in the campaign's audience when it was planned."
    }

    private static func sentence(_ delivery: DeliveryRow, campaign: Campaign) -> String {
        switch delivery.state {
        case .pending: pending(delivery, campaign: campaign)
        case .accepted: accepted(delivery)
        case .suppressed: "It was not sent: \(suppression(delivery.reason))."
        case .rejected where delivery.reason == .noAnswer: noAnswer(delivery)
        case .rejected: "It was sent and refused: \(rejection(delivery.reason))."
        case .cancelled: "The campaign was cancelled before it was sent to this device."
        }
    }

    private static func pending(_ delivery: DeliveryRow, campaign: Campaign) -> String {
        if campaign.status == .paused {
            return "It waits because the campaign is paused. \(campaign.statusReason ?? "")"
                .trimmingCharacters(in: .whitespaces)
        }
        let tries = delivery.attempts == 0 ? "It has not been sent yet" : "It was tried \(times(delivery.attempts))"
        return switch delivery.note.map(DeliveryNote.init(text:)) {
        case nil where delivery.attempts == 0: "It has not been sent yet."
        case .notSent(let reason): "\(tries) and will be tried again; the last time it could not leave (\(reason))."
        case .unanswered(let reason): "\(tries) and will be tried again; the last time no answer came (\(reason))."
        case .answered(let word): "\(tries) and will be tried again; the last answer was '\(word)'."
        case nil: "\(tries) and will be tried again."
        }
    }

    private static func noAnswer(_ delivery: DeliveryRow) -> String {
        switch delivery.note.map(DeliveryNote.init(text:)) {
        case .notSent(let reason) where delivery.attempts == 0: "It could not be sent in time: \(reason)."
        case .notSent(let reason):
            "It was sent \(times(delivery.attempts)) without success, and could not be sent again in time: \(reason)."
        case .answered(let word):
            "It was sent \(times(delivery.attempts)), and the push service put it off ('\(word)') for too long."
        case .unanswered, nil: "It was sent, and no answer came in time."
        }
    }

    private static func times(_ count: Int) -> String {
        count == 1 ? "once" : "\(count) times"
    }

    private static func accepted(_ delivery: DeliveryRow) -> String {
        var sentence = "The push service took it"
        if delivery.engagements[.opened] != nil {
            sentence += ", and it was opened"
        } else if delivery.engagements[.displayed] != nil {
            sentence += ", and it was displayed but not opened"
        } else if delivery.engagements[.received] != nil {
            sentence += ", and the device received it"
        } else {
            sentence += "; the device has not reported it"
        }
        return sentence + "."
    }

    private static func suppression(_ reason: DeliveryReason?) -> String {
        switch reason {
        case .noToken: "the device has no push token"
        case .noCredentials: "the app has no credentials for the device's push service"
        case .expired: "the message had expired before it could be sent"
        case .optedOut(.user): "the user has switched push off in the app"
        case .optedOut(.osSetting): "the user has switched notifications off in the system's settings"
        case .optedOut(.tokenInvalid): "the push service had called the device's token no longer valid"
        case .optedOut(.tokenMalformed): "the push service had called the device's token malformed"
        case .optedOut(.providerAuthentication): "the push service had refused the app's credentials"
        default: reason?.rawValue ?? "no reason is recorded"
        }
    }

    private static func rejection(_ reason: DeliveryReason?) -> String {
        switch reason {
        case .payloadTooLarge: "the message is larger than the push service takes"
        default: "the push service said '\(reason?.rawValue ?? "nothing")'"
        }
    }

    private static func history(_ delivery: DeliveryRow, campaign: Campaign) -> [Step] {
        var steps: [Step] = []
        if let launched = campaign.launchedAt { steps.append(Step(at: launched, what: "launched", detail: nil)) }
        let attempts = delivery.attempts > 0 ? "attempts: \(delivery.attempts)" : nil
        steps.append(
            Step(
                at: delivery.updatedAt, what: delivery.state.rawValue,
                detail: delivery.reason?.rawValue ?? delivery.note ?? attempts
            )
        )
        for engagement in Engagement.allCases {
            guard let at = delivery.engagements[engagement] else { continue }
            steps.append(Step(at: at, what: engagement.rawValue, detail: nil))
        }
        return steps.sorted { $0.at < $1.at }
    }
}

/// Answers "why did this person (not) get it?" in one call.
package struct Explainer: Sendable {
    let database: any SQLDatabase

    package init(database: any SQLDatabase) {
        self.database = database
    }

    package func explain(_ id: CampaignID, device client: String, app: AppRecord) async throws -> Explanation {
        try await database.read { connection in
            let row = try connection.campaign(id, app: app.id)
            let device = try connection.device(client, app: app)
            return Explanation(
                row: row, device: device,
                delivery: try connection.deliveries.find(campaign: id, device: device.id)
            )
        }
    }
}
