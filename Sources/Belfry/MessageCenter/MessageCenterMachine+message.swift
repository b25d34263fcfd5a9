import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// Single messages, and their rich content: calls and responses (MC-9, MC-15).
extension MessageCenterMachine {
    static func messageCall(ofPush sid: String, for call: AwaitedCall, _ requests: DeviceRequests) -> DeviceCall {
        DeviceCall(
            purpose: .message(generation: call.generation, awaited: call.number), request: requests.message(sid)
        )
    }

    /// - Parameter number: the number of the caller who waits for the content; nil for the engine's own call.
    static func reportCall(
        _ report: RichContentReport,
        awaited number: Int? = nil,
        _ requests: DeviceRequests
    ) -> DeviceCall {
        DeviceCall(purpose: .richReport(report, awaited: number), request: requests.richContent(report))
    }

    /// Requests rich content. The key of the request is stored before the request is sent, and the content, together
    /// with the pending confirmation, before it is returned, so neither a crash nor a lost response loses it (MC-9,
    /// WIRE-11).
    ///
    /// If the device no longer has content that it has confirmed, the confirmation is withdrawn first.
    static func richContentCall(
        _ id: String,
        for call: AwaitedCall,
        _ requests: DeviceRequests,
        in step: inout DeviceStep
    ) throws(BelfryError) -> DeviceCall? {
        let held = try step.store.richContent(of: id, now: step.retention.serverTime)
        if let html = held?.html {
            step.finish(call.number, .success(.html(html)))
            return nil
        }
        if try step.store.messageStates(in: nil, step.retention, includesUnlisted: true)[id] == .deleted {
            step.finish(call.number, .failure(.unknownMessage))
            return nil
        }
        if let report = try step.store.report(of: id), !report.isStored {
            return reportCall(report, awaited: call.number, requests)
        }
        let key = held?.key ?? step.newID()
        if held == nil { step.change.centers.append(.askRichContent(id: id, key: key, at: step.now)) }
        return DeviceCall(
            purpose: .richContent(id: id, generation: call.generation, awaited: call.number),
            request: requests.richContent(of: id, key: key)
        )
    }
}

// MARK: - Responses

extension MessageCenterMachine {
    static func richContentFetched(
        _ id: String,
        generation: Int,
        awaited number: Int,
        _ response: ServerResponse,
        in step: inout DeviceStep
    ) {
        let (value, read) = response.reading(RichContentResponse.self, now: step.now)
        step.noticeToken(read.outcome)
        guard generation == step.state.sync.centers.generation else {
            return step.finish(number, .failure(.unknownMessage))
        }
        if let value, value.id == id {
            step.change.centers.append(.keepRichContent(id: id, html: value.html, at: step.now))
            return step.finish(number, .success(.html(value.html)))
        }
        // The server believes that the device has the content, but it does not. The confirmation is withdrawn, once,
        // and then the content is requested again.
        if response.outcome.failure?.code == ErrorCode.richContentAlreadyServed, step.process.awaited.retry(number) {
            step.change.centers.append(.withdrawRichContent(id: id))
            return
        }
        failed(number, response, read.outcome, in: &step)
    }

    /// Gives an awaited call an error instead of a result.
    private static func failed(
        _ number: Int,
        _ response: ServerResponse,
        _ outcome: CallOutcome,
        in step: inout DeviceStep
    ) {
        if response.outcome == .accepted {
            let code: MessageCenterError.Code = response.body.isEmpty ? .emptyResponse : .invalidPayload
            let error = MessageCenterError(code, "The response is not from a Belfry server.")
            return step.finish(number, .failure(error))
        }
        // After a 401 the call is repeated with a renewed token.
        if case .unauthorized = outcome { return }
        if let failure = outcome.failure { step.finish(number, .failure(MessageCenterError(failure))) }
    }

    /// Stores the message of a push that no center lists (MC-15).
    static func messageFetched(
        generation: Int,
        awaited number: Int,
        _ response: ServerResponse,
        in step: inout DeviceStep
    ) {
        let (value, read) = response.reading(MessageCenterMessageBody.self, now: step.now)
        step.noticeToken(read.outcome)
        guard generation == step.state.sync.centers.generation else {
            return step.finish(number, .failure(.anotherPerson))
        }
        guard let message = value.flatMap({ StoredMessageCenterMessage($0) }) else {
            // An earlier server has no such call.
            if case .refused(let failure) = read.outcome, failure.status == 404 {
                return step.finish(number, .success(.message(nil)))
            }
            return failed(number, response, read.outcome, in: &step)
        }
        step.change.centers.append(.keep(message, fetchedAt: step.now))
        step.finish(number, .success(.message(message)))
    }

    /// - Parameter number: the number of the caller who waits for the content: it is requested next, or the caller gets
    ///   the error.
    static func reported(
        _ report: RichContentReport,
        awaited number: Int?,
        _ response: ServerResponse,
        in step: inout DeviceStep
    ) {
        step.noticeToken(response.outcome)
        let isSettled = step.state.sync.richContent.answered(
            response.outcome, now: step.now, random: step.jitter(), policy: step.policy.calls
        )
        if isSettled { return step.change.centers.append(.settleReport(report)) }
        if case .unauthorized = response.outcome { return }
        guard let number, let failure = response.outcome.failure else { return }
        step.finish(number, .failure(MessageCenterError(failure)))
    }
}
