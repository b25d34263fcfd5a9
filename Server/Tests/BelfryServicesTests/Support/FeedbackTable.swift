import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation
import Testing

/// The table of Docs/Feedback.md, row by row.
enum FeedbackTable {
    struct Row: Hashable, Sendable {
        let service: String
        let answers: [TableResponse]
        let meaning: String
        let consequences: Consequences
    }

    static func read() throws -> [Row] {
        var root = URL(filePath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let text = try String(contentsOf: root.appending(path: "Docs/Feedback.md"), encoding: .utf8)
        let mark = try #require(text.range(of: "<!-- feedback-table -->"))
        let lines = text[mark.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
            .drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        return try lines.dropFirst(2).map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 6, "\(line)")
            return Row(
                service: cells[0], answers: cells[1].components(separatedBy: ", ").map(TableResponse.init),
                meaning: cells[2], consequences: Consequences(send: cells[3], device: cells[4], campaign: cells[5])
            )
        }
    }
}

/// One answer as the table writes it: `410` `Unregistered`, or words for what is none.
struct TableResponse: Hashable, Sendable, CustomStringConvertible {
    let description: String
    private let status: Int?
    private let words: [String]

    init(_ cell: String) {
        description = cell
        let parts = cell.split(separator: "`").map(String.init).filter { $0 != " " }
        status = parts.first.flatMap { Int($0) }
        words = Array(parts.dropFirst())
    }

    /// Nil when nobody knows what the cell means.
    func outcome(at service: String, now: Date) -> PushOutcome? {
        guard let status else { return outcomeWithoutAnswer(at: service) }
        func result(_ body: String) -> PushResult {
            .answered(PushResponse(status: status, body: Array(body.utf8)))
        }
        switch service {
        case "APNs":
            return APNsResponse.outcome(of: result(words.first.map { #"{"reason":"\#($0)"}"# } ?? ""), now: now)
        case "FCM":
            return FCMResponse.outcome(of: result(googleError), now: now)
        case "FCM, access token":
            let body = words.first.map { #"{"error":"\#($0)"}"# } ?? ""
            do {
                _ = try AccessToken.read(status: status, body: Array(body.utf8), now: now)
                return .accepted
            } catch {
                return error.outcome
            }
        case "Web Push":
            let reason = words.first.map { $0.contains(" ") ? $0 : #"{"reason":"\#($0)"}"# }
            return WebPushResponse.outcome(of: result(reason ?? ""), now: now)
        default:
            return nil
        }
    }

    private func outcomeWithoutAnswer(at service: String) -> PushOutcome? {
        switch (service, description) {
        case ("any", "no answer"): APNsResponse.outcome(of: .unanswered(reason: "time-out"), now: ServiceWorld.epoch)
        case ("any", "not sent"):
            WebPushResponse.outcome(of: .notProcessed(reason: "no connection"), now: ServiceWorld.epoch)
        // Before it was asked nothing was sent to FCM.
        case ("FCM, access token", "no answer"): AccessTokenError.unavailable(reason: "time-out").outcome
        default: nil
        }
    }

    /// FCM's own codes stand in a detail, the canonical statuses of Google's services beside it.
    private var googleError: String {
        guard let word = words.first else { return "" }
        let ownCodes = [
            "UNREGISTERED", "INVALID_ARGUMENT", "SENDER_ID_MISMATCH", "QUOTA_EXCEEDED", "THIRD_PARTY_AUTH_ERROR",
        ]
        // Reasons of Google's API management stand in a detail of their own.
        let generalReasons = ["RATE_LIMIT_EXCEEDED", "SERVICE_DISABLED", "ACCOUNT_STATE_INVALID"]
        var details: [String] = []
        if generalReasons.contains(word) {
            details.append(#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"\#(word)"}"#)
        }
        if ownCodes.contains(word) {
            details.append(#"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(word)"}"#)
        }
        if words.count > 1 {
            details.append(
                #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(words[1])"}]}"#
            )
        }
        let status = (ownCodes + generalReasons).contains(word) ? "" : #""status":"\#(word)","#
        return #"{"error":{\#(status)"message":"It failed.","details":[\#(details.joined(separator: ","))]}}"#
    }
}

/// What the code makes of an outcome, in the table's words.
struct Consequences: Hashable, Sendable {
    let send: String
    let device: String
    let campaign: String
}

extension Consequences {
    init(of outcome: PushOutcome, now: Date) {
        send = Self.send(outcome, now: now)
        let consequence = FeedbackConsequence.consequence(
            of: outcome, tokenRegisteredAt: now.addingTimeInterval(-3_600), now: now
        )
        device = consequence.optOut?.reason.rawValue ?? "–"
        campaign = Self.campaign(outcome)
    }

    private static func send(_ outcome: PushOutcome, now: Date) -> String {
        let decision = DeliveryDecision.decide(
            outcome: outcome, attempt: 1, wasDeferred: false, now: now,
            expiresAt: now.addingTimeInterval(86_400),
            resendUntil: now.addingTimeInterval(86_400), triedFor: 0, random: 0.5
        )
        return switch decision {
        case .final(let state, _): state.rawValue
        case .hold: "stays pending"
        case .renewCredentialAndRetry: "retried at once"
        case .retry: "retried later"
        }
    }

    private static func campaign(_ outcome: PushOutcome) -> String {
        var watch = ProviderCircuitBreaker()
        for count in 1...ProviderCircuitBreaker.window {
            guard case .pause = watch.observe(outcome) else { continue }
            return count == 1 ? "pauses at once" : "pauses when most fail so"
        }
        return "continues"
    }
}

extension PushOutcome {
    /// As the table calls it.
    var meaning: String {
        switch self {
        case .accepted: "accepted"
        case .tokenInvalid: "token invalid"
        case .tokenMalformed: "token malformed"
        case .topicError: "wrong topic"
        case .credentialError: "credential error"
        case .credentialExpired: "credential expired"
        case .payloadError: "payload error"
        case .throttled: "throttled"
        case .unavailable: "unavailable"
        case .unanswered: "unanswered"
        case .notSent: "not sent"
        }
    }
}
