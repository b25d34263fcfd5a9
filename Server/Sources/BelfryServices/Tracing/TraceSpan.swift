import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// A span in the life of a ledger row, or of a silent push (FLEET-11): the whole, or one attempt at a push service.
///
/// All spans of a row are one trace with the id of its push (the `apns-id`). So any process can add a span without
/// asking which trace it belongs to.
package struct TraceSpan: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case text(String)
        case number(Int)
    }

    /// The most characters of a note.
    static let maximumNote = 128

    /// 0 for the row's own span; attempts are counted from 1.
    package let number: Int
    package let trace: UUID
    package let name: String
    package let begin: Date
    package let end: Date
    package let attributes: [String: Value]
    /// The error; nil if there was none.
    package let error: String?

    /// The trace's id: 32 hexadecimal digits.
    package var traceID: String { Self.hex(bytes[...]) }
    /// The span's id: 16 hexadecimal digits.
    package var spanID: String { Self.hex(spanBytes(number)) }
    /// The id of the row's own span; nil for that span itself.
    package var parentID: String? { number == 0 ? nil : Self.hex(spanBytes(0)) }

    private var bytes: [UInt8] { withUnsafeBytes(of: trace.uuid) { Array($0) } }

    /// The second half of the trace's id, which is never 0, with the number in its last bytes.
    private func spanBytes(_ number: Int) -> ArraySlice<UInt8> {
        var half = bytes[8...]
        for place in 0..<3 {
            half[half.index(before: half.endIndex) - place] ^= UInt8(truncatingIfNeeded: number >> (8 * place))
        }
        return half
    }

    private static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.reduce(into: "") { text, byte in
            let digits = String(byte, radix: 16)
            text += digits.utf8.count == 1 ? "0\(digits)" : digits
        }
    }
}

extension TraceSpan {
    /// The spans of these results: one for each attempt, and that of the row if it has ended. They name the recipient
    /// (by the installation's id), the campaign and the reason, but contain nothing of the message.
    static func spans(of results: [DeliveryResult], _ load: BatchContext, now: Date) -> [TraceSpan] {
        let naming = MessageNaming(campaign: load.campaign.id)
        let recipients = Dictionary(load.recipients.map { ($0.device, $0) }, uniquingKeysWith: { first, _ in first })
        var spans: [TraceSpan] = []
        for result in results {
            guard let recipient = recipients[result.update.device] else { continue }
            let trace = naming.id(recipient.client).uuid
            var attributes: [String: Value] = [
                "belfry.app": .text(load.campaign.app.rawValue), "belfry.campaign": .text("\(load.campaign.id)"),
                "belfry.device": .text(recipient.client.rawValue), "belfry.state": .text(result.update.state.rawValue),
                "belfry.attempts": .number(result.update.attempts),
            ]
            if let reason = result.update.reason { attributes["belfry.reason"] = .text(reason.rawValue) }
            if let note = result.update.note { attributes["belfry.note"] = .text(String(note.prefix(maximumNote))) }
            if let provider = result.provider { attributes["belfry.provider"] = .text(provider.rawValue) }
            let error = result.error
            if result.wasTried, let provider = result.provider {
                spans.append(
                    TraceSpan(
                        number: max(result.update.attempts, 1), trace: trace, name: "push \(provider.rawValue)",
                        begin: now.addingTimeInterval(-(result.took ?? 0)), end: now, attributes: attributes,
                        error: result.isAccepted ? nil : error ?? "not accepted yet"
                    ))
            }
            guard result.update.state != .pending else { continue }
            spans.append(
                TraceSpan(
                    number: 0, trace: trace, name: "delivery", begin: min(load.launchedAt, now), end: now,
                    attributes: attributes, error: error
                ))
        }
        return spans
    }
}

extension DeliveryResult {
    /// Whether a request was sent to the push service.
    fileprivate var wasTried: Bool {
        switch outcome {
        case nil, .notSent?: false
        default: true
        }
    }

    /// Why the message was not accepted; nil if it was, or if it was not sent on purpose.
    fileprivate var error: String? {
        guard update.state == .rejected || update.state == .pending else { return nil }
        return update.reason?.rawValue ?? update.note.map { String($0.prefix(TraceSpan.maximumNote)) }
    }
}
