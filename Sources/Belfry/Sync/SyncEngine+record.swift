import BelfryModel
import BelfryRules
import Foundation

/// What the app says about the contact and the push token.
extension SyncEngine {
    func edit<Output: Sendable>(_ body: @Sendable (inout RecordEdit) -> Output) throws(BelfryError) -> Output {
        var draft = try begun()
        var edit = RecordEdit(
            draft.state.record,
            isProven: draft.state.sync.link.subject != nil,
            refusal: draft.state.privacy.rest?.refusal
        )
        let output = body(&edit)
        guard draft.state.privacy.rest == nil else { return output }
        draft.state.record = edit.record
        let now = environment.now()
        let field = try configuration.standardContactField()
        if edit.namesContact, let key = edit.record.contactKey {
            let changesPerson = edit.changesPerson
            try changeContact(in: &draft, now: now) { state in
                if changesPerson { state.sync.link.personChanged() }
                _ = state.sync.link.named(key: key.rawValue, field: field, now: now)
                return changesPerson
            }
        }
        draft.noticeRecord(now: now)
        try commit(draft)
        waker.wake()
        return output
    }

    /// Links the device to a known contact; repeated with the same value it changes nothing (ID-3).
    ///
    /// - Parameter field: nil is the configured one.
    func identify(_ key: ContactKey, field: String?) throws(BelfryError) -> EditResult {
        let now = environment.now()
        let standardField = try configuration.standardContactField()
        return try changeContact(now: now) { state in
            let isOther = state.record.setContactKey(key, wasProven: state.sync.link.subject != nil)
            if isOther { state.sync.link.personChanged() }
            // Another configured field is no other contact.
            _ =
                if let field {
                    state.sync.link.identify(key: key.rawValue, field: field, now: now)
                } else {
                    state.sync.link.named(key: key.rawValue, field: standardField, now: now)
                }
            return isOther
        }
    }

    /// The same for a person whom a token proves; the record then names no contact.
    func identify(_ proof: OpenIDProof) throws(BelfryError) -> EditResult {
        let now = environment.now()
        return try changeContact(now: now) { state in
            let isOther = state.record.setProven(by: proof, former: state.sync.link.subject)
            if isOther { state.sync.link.personChanged() }
            _ = state.sync.link.identify(proof, now: now)
            return isOther
        }
    }

    /// Forgets the person at once and links a fresh anonymous contact as soon as it can (ID-4).
    func logout() async throws(BelfryError) {
        // First: a kill in between must not leave what the former user was sent on the screen.
        await clearScreen()
        _ = try changeContact(now: environment.now(), forgets: true) { state in
            let hadContactKey = state.record.contactKey != nil
            state.record.purgePersonalData()
            return state.sync.link.logout(hadContactKey: hadContactKey)
        }
        showsFormer = false
        await pageWork.finished()
        // Their number may have come once more before they were forgotten.
        await showBadge()
    }

    /// - Parameter forgets: the record is purged, whether or not the person was known.
    private func changeContact(
        now: Date,
        forgets: Bool = false,
        _ body: (inout DeviceState) -> Bool
    ) throws(BelfryError) -> EditResult {
        var draft = try begun()
        if let rest = draft.state.privacy.rest { return .refused(rest.refusal) }
        try changeContact(in: &draft, now: now, body)
        if forgets {
            draft.change.scrubs = true
            // Also of an anonymous person, whose contact stays.
            if !draft.purgesFeed {
                draft.swapCenters()
                try clearInApp(in: &draft, now: now)
                try swapInApp(in: &draft, now: now)
            }
            draft.state.sync.badgeLeft()
        }
        draft.noticeRecord(now: now)
        try commit(draft)
        waker.wake()
        return .accepted
    }

    /// The events tracked so far keep their owner, and pushes for them are another's from now on if the person is.
    ///
    /// - Parameter body: changes the contact and says whether another person uses the device from now on.
    private func changeContact(
        in draft: inout StateDraft,
        now: Date,
        _ body: (inout DeviceState) -> Bool
    ) throws(BelfryError) {
        let formerOwner = draft.state.sync.link.owner
        if body(&draft.state) {
            draft.state.marks.personChanged(owner: draft.state.sync.link.owner)
            let decisions = draft.state.inApp.personChanged(owner: draft.state.sync.link.owner, at: now)
            try add(decisions, to: &draft, now: now)
            draft.state.sync.badgeLeft()
            draft.changesPerson = true
            draft.change.scrubs = true
        }
        try handSessionOver(from: formerOwner, in: &draft, now: now)
    }

    /// A session belongs to one contact: the former one's ends with their events (ID-4).
    func handSessionOver(from formerOwner: Int, in draft: inout StateDraft, now: Date) throws(BelfryError) {
        let owner = draft.state.sync.link.owner
        guard owner != formerOwner else { return }
        draft.swapCenters()
        try swapInApp(in: &draft, now: now)
        draft.state.display.ended()
        let events = draft.state.session.contactChanged(at: now, newID: environment.makeUUID().uuidString)
        try draft.add(Array(events.prefix(1)), owner: formerOwner, recorder: recorder)
        try draft.add(Array(events.dropFirst()), owner: owner, recorder: recorder)
        try judge(events, in: &draft, now: now)
    }

    func setPushToken(
        _ token: String,
        provider: PushProvider?,
        environment pushEnvironment: PushEnvironment
    ) throws(BelfryError) -> EditResult {
        var draft = try begun()
        if let rest = draft.state.privacy.rest { return .refused(rest.refusal) }
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

    func pushTokenRemoved() throws(BelfryError) -> EditResult {
        var draft = try begun()
        if let rest = draft.state.privacy.rest { return .refused(rest.refusal) }
        draft.state.record.pushToken = nil
        draft.state.sync.pushToken.removed()
        draft.noticeRecord(now: environment.now())
        try commit(draft)
        waker.wake()
        return .accepted
    }

    func setPushPermission(_ isGranted: Bool) async throws(BelfryError) -> EditResult {
        var draft = try begun()
        if let rest = draft.state.privacy.rest { return .refused(rest.refusal) }
        draft.state.record.take(isGranted ? .granted : .denied)
        draft.noticeRecord(now: environment.now())
        try commit(draft)
        waker.wake()
        if isGranted { await platform.pushTokens?.requestPushToken() }
        return .accepted
    }
}
