import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// One part of the life of a ledger's row, or of a silent push, as OpenTelemetry tells it (FLEET-11): the whole, or one
/// attempt at a push service.
///
/// All spans of a row are one trace, whose id is that of its push (the `apns-id`): whichever process makes a span, it
/// needs to ask nobody which trace it belongs to.
package struct TraceSpan: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case text(String)
        case number(Int)
    }

    /// Characters of a note.
    static let maximumNote = 128

    /// 0 is the row; attempts are counted from 1.
    package let number: Int
    package let trace: UUID
    package let name: String
    package let begin: Date
    package let end: Date
    package let attributes: [String: Value]
    /// What went wrong; nil for what went well.
    package let error: String?

    /// 32 hexadecimal digits.
    package var traceID: String { Self.hex(bytes[...]) }
    /// 16 hexadecimal digits.
    package var spanID: String { Self.hex(spanBytes(number)) }
    /// That of the row; nil for the row itself.
    package var parentID: String? { number == 0 ? nil : Self.hex(spanBytes(0)) }

    private var bytes: [UInt8] { withUnsafeBytes(of: trace.uuid) { Array($0) } }

    /// The second half of the trace's id, which is never 0, with the number at its end.
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
    /// What these results add to the traces of their rows: a span for each attempt, and that of the row when it has ended.
    /// They say who (by the id of the installation), which campaign and why, and nothing of what was said.
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
    /// Whether something left for the push service.
    fileprivate var wasTried: Bool {
        switch outcome {
        case nil, .notSent?: false
        default: true
        }
    }

    /// Why it was not accepted; nil if it was, or if it was not sent on purpose.
    fileprivate var error: String? {
        guard update.state == .rejected || update.state == .pending else { return nil }
        return update.reason?.rawValue ?? update.note.map { String($0.prefix(TraceSpan.maximumNote)) }
    }
}
