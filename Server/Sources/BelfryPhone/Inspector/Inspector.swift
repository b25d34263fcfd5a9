import Belfry
import Foundation

/// The history of a phone for the inspector: a limited number of lines, the newest first.
struct Inspector: Sendable {
    static let maximumLines = 150
    static let maximumExchanges = 60
    static let maximumDecisions = 100

    struct Line: Sendable, Encodable {
        enum Kind: String, Sendable, Encodable {
            /// An action or event of the phone's system.
            case system
            /// The arrival of a push and its effects.
            case push
            /// A call of the app.
            case app
            /// A message of the SDK itself.
            case sdk
            /// A report for the app's developer.
            case report
            /// An error.
            case trouble
        }

        let number: Int
        let kind: Kind
        let text: String
        let at: Date
    }

    private(set) var lines: [Line] = []
    private(set) var exchanges: [Exchange] = []
    /// The last decision on each in-app message, by message id.
    private(set) var decisions: [String: InAppDecisionReport] = [:]
    private(set) var tokens = TokenAges()
    private(set) var pendingEdits = PendingEdits()
    /// The start of the server's outage, with its last failure; nil: the server answered the last request.
    private(set) var outage: (since: Date, failure: String)?
    private var numbers = 0
    private var exchangeNumbers = 0

    mutating func note(_ kind: Line.Kind, _ text: String, at date: Date) {
        numbers += 1
        lines.insert(Line(number: numbers, kind: kind, text: text, at: date), at: 0)
        if lines.count > Self.maximumLines { lines.removeLast() }
    }

    mutating func note(_ exchange: Exchange, request: TransportRequest, response: TransportResponse?) {
        exchangeNumbers += 1
        var exchange = exchange
        exchange.number = exchangeNumbers
        exchanges.insert(exchange, at: 0)
        if exchanges.count > Self.maximumExchanges { exchanges.removeLast() }
        guard let response else {
            if exchange.isOutage { outage = (outage?.since ?? exchange.at, exchange.failure ?? "") }
            return
        }
        outage = nil
        tokens.note(request, response, at: exchange.at)
        if (200..<300).contains(response.status),
            request.path.utf8.reversed().starts(with: "/client/registration".utf8.reversed())
        {
            pendingEdits.accepted(sentAt: exchange.at)
        }
    }

    mutating func note(_ decision: InAppDecisionReport, at date: Date) {
        if decisions[decision.messageID] == nil, decisions.count >= Self.maximumDecisions,
            let oldest = decisions.min(by: { $0.value.at < $1.value.at })
        {
            decisions[oldest.key] = nil
        }
        decisions[decision.messageID] = decision
        // The description begins with the campaign's id.
        note(.sdk, "The in-app message of campaign \(decision.description).", at: date)
    }

    mutating func noteEdit(of part: String, at date: Date) {
        pendingEdits.note(part, at: date)
    }

    /// The server has all of the contact record.
    mutating func nothingPends() {
        pendingEdits.clear()
    }

    mutating func noteToken(at date: Date) {
        tokens.noteIssued(at: date)
    }

    /// Takes the ages of tokens that were stored before the phones' program restarted.
    mutating func restore(_ former: TokenAges) {
        tokens = former
    }

    /// The app was deleted together with its tokens.
    mutating func forgetTokens() {
        tokens = TokenAges()
        pendingEdits.clear()
    }
}
