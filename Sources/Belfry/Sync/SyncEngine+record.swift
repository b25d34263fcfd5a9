import BelfryModel
import BelfryRules
import Foundation

/// What the app says about the contact and the push token.
extension SyncEngine {
    func edit<Output: Sendable>(_ body: @Sendable (inout RecordEdit) -> Output) throws(BelfryError) -> Output {
        var draft = try begun()
        var edit = RecordEdit(draft.state.record)
        let output = body(&edit)
        draft.state.record = edit.record
        let now = environment.now()
        if edit.namesContact, let key = edit.record.contactKey {
            try changeContact(in: &draft, now: now) { link, _ in link.named(key: key.rawValue, now: now) }
        }
        draft.noticeRecord(now: now)
        try commit(draft)
        waker.wake()
        return output
    }

    /// Links the device to a known contact; repeated with the same value it changes nothing (ID-3).
    func identify(_ key: ContactKey, field: String?) throws(BelfryError) {
        let now = environment.now()
        try changeContact(now: now) { link, record in
            record.setContactKey(key)
            return link.identify(key: key.rawValue, field: field, now: now)
        }
    }

    /// Forgets the person at once and links a fresh anonymous contact as soon as it can (ID-4).
    func logout() throws(BelfryError) {
        try changeContact(now: environment.now()) { link, record in
            let hadContactKey = record.contactKey != nil
            record.purgePersonalData()
            return link.logout(hadContactKey: hadContactKey)
        }
    }

    private func changeContact(
        now: Date,
        _ body: (inout LinkRules, inout ContactRecord) -> Bool
    ) throws(BelfryError) {
        var draft = try begun()
        try changeContact(in: &draft, now: now, body)
        draft.noticeRecord(now: now)
        try commit(draft)
        waker.wake()
    }

    /// The events tracked so far keep their owner; the session of the former contact ends with them.
    private func changeContact(
        in draft: inout StateDraft,
        now: Date,
        _ body: (inout LinkRules, inout ContactRecord) -> Bool
    ) throws(BelfryError) {
        let formerOwner = draft.state.sync.link.owner
        let changed = body(&draft.state.sync.link, &draft.state.record)
        let owner = draft.state.sync.link.owner
        if changed, owner != formerOwner {
            let events = draft.state.session.contactChanged(at: now, newID: environment.makeUUID().uuidString)
            try draft.add(Array(events.prefix(1)), owner: formerOwner, recorder: recorder)
            try draft.add(Array(events.dropFirst()), owner: owner, recorder: recorder)
        }
    }

    func setPushToken(
        _ token: String,
        provider: PushProvider?,
        environment pushEnvironment: PushEnvironment
    ) throws(BelfryError) -> EditResult {
        var draft = try begun()
        let provider = provider ?? PushProvider.standard(forPlatform: draft.state.record.system.platform)
        do throws(Refusal) {
            draft.state.record.pushToken = try PushToken(token, provider: provider, environment: pushEnvironment)
        } catch {
            return .refused(error)
        }
        draft.state.sync.pushToken.set()
        draft.noticeRecord(now: environment.now())
        try commit(draft)
        waker.wake()
        return .accepted
    }

    func pushTokenRemoved() throws(BelfryError) {
        var draft = try begun()
        draft.state.record.pushToken = nil
        draft.state.sync.pushToken.removed()
        draft.noticeRecord(now: environment.now())
        try commit(draft)
        waker.wake()
    }

    func setPushPermission(_ isGranted: Bool) async throws(BelfryError) {
        var draft = try begun()
        draft.state.record.osPushEnabled = isGranted
        draft.noticeRecord(now: environment.now())
        try commit(draft)
        waker.wake()
        if isGranted { await platform.pushTokens?.requestPushToken() }
    }
}
