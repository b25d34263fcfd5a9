import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// Rich content: asked for by a key that is stored before, stored before it is handed out; so neither a crash nor a lost
/// answer loses it, although the server serves it once (MC-9, WIRE-11).
extension SyncEngine {
    func richContent(for id: String) async throws(MessageCenterError) -> String {
        guard try presentState().sync.centers.isEnabled else { throw .notEnabledYet }
        guard !id.isEmpty, id.utf8.count <= StoredCenterMessage.maximumIDBytes else { throw .unknownMessage }
        do throws(BelfryError) {
            if let html = try storage.opened().store.richContent(of: id, now: environment.now())?.html { return html }
        } catch {
            throw MessageCenterError(error)
        }
        guard case .html(let html) = try await ask(.richContent(id: id)) else { throw .unknownMessage }
        return html
    }

    func richContentCall(
        _ id: String,
        for call: AwaitedCall,
        draft: inout StateDraft,
        requests: DeviceRequests,
        now: Date
    ) throws(BelfryError) -> DeviceCall? {
        let store = try storage.opened().store
        let held = try store.richContent(of: id, now: now)
        if let html = held?.html {
            draft.answer(call.number, .success(.html(html)))
            return nil
        }
        if try store.messageStates(in: nil, retention(at: now))[id] == .deleted {
            draft.answer(call.number, .failure(.unknownMessage))
            return nil
        }
        let key = held?.key ?? environment.makeUUID().uuidString
        if held == nil { draft.change.centers.append(.askRichContent(id: id, key: key, at: now)) }
        return DeviceCall(
            purpose: .richContent(id: id, generation: call.generation, awaited: call.number),
            request: requests.richContent(of: id, key: key)
        )
    }

    func richContentAnswered(
        _ id: String,
        _ generation: Int,
        awaited number: Int,
        _ answer: DeviceAnswer,
        draft: inout StateDraft,
        now: Date
    ) {
        let (value, read) = answer.reading(RichContentAnswer.self, now: now)
        noticeToken(read.outcome, draft: &draft, now: now)
        guard generation == draft.state.sync.centers.generation else {
            draft.answer(number, .failure(.unknownMessage))
            return
        }
        if let value, value.id == id {
            draft.change.centers.append(.keepRichContent(id: id, html: value.html, at: now))
            draft.answer(number, .success(.html(value.html)))
            return
        }
        if answer.outcome == .accepted {
            let code: MessageCenterError.Code = answer.body.isEmpty ? .emptyResponse : .invalidPayload
            draft.answer(number, .failure(MessageCenterError(code, "The answer was not one of a Belfry server.")))
            return
        }
        // After a 401 it is asked again by a renewed token.
        if case .unauthorized = read.outcome { return }
        if let failure = read.outcome.failure { draft.answer(number, .failure(MessageCenterError(failure))) }
    }
}
