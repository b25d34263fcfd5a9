import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// Changes the device's contact, and makes the calls that send properties, contact and record to the server.
enum ContactMachine {
    /// Changes the contact. The events tracked so far keep their owner, and if the person changes, pushes for the
    /// former person are dropped from now on.
    ///
    /// - Parameter body: makes the change and returns whether another person uses the device from now on.
    /// - Returns: whether another contact is the owner now, so that its messages must be shown.
    @discardableResult
    static func changeContact(
        in step: inout DeviceStep,
        _ body: (inout DeviceState) -> Bool
    ) throws(BelfryError) -> Bool {
        let formerOwner = step.state.sync.link.owner
        if body(&step.state) {
            step.state.recipientTags.personChanged(owner: step.state.sync.link.owner)
            try InAppMachine.personChanged(in: &step)
            step.state.sync.personLeft()
            step.process.showsFormer = true
            step.change.scrubs = true
        }
        return try handSessionOver(from: formerOwner, in: &step)
    }

    /// A session belongs to one contact: the former contact's session ends under that contact (ID-4).
    ///
    /// - Returns: whether another contact is the owner now.
    @discardableResult
    static func handSessionOver(from formerOwner: Int, in step: inout DeviceStep) throws(BelfryError) -> Bool {
        let owner = step.state.sync.link.owner
        guard owner != formerOwner else { return false }
        try showOthersMessages(in: &step)
        step.state.display.ended()
        let events = step.state.session.contactChanged(at: step.now, newID: step.newID())
        try step.add(events.prefix(1), owner: formerOwner)
        try step.add(events.dropFirst(), owner: owner)
        try InAppMachine.judge(events, in: &step)
        return true
    }

    /// From now on another contact's messages are shown, and none of the former one's (MC-12, IAM-11).
    static func showOthersMessages(in step: inout DeviceStep) throws(BelfryError) {
        MessageCenterMachine.contactChanged(in: &step)
        try InAppMachine.contactChanged(in: &step)
    }
}

// MARK: - Calls

extension ContactMachine {
    static func propertiesCall(
        _ requests: DeviceRequests,
        in step: inout DeviceStep
    ) throws(BelfryError) -> DeviceCall {
        let record = step.state.record.reported
        let digest = StableDigest(properties: record.system, osPushEnabled: record.osPushEnabled)
        step.state.sync.properties.attempted()
        return DeviceCall(purpose: .properties(digest), request: try requests.properties(record))
    }

    static func registrationCall(
        _ requests: DeviceRequests,
        in step: inout DeviceStep
    ) throws(BelfryError) -> DeviceCall {
        let digest = step.state.recordDigest
        let revision = step.state.sync.registration.attempted(at: step.now)
        let request = try requests.registration(
            step.state.record.reported,
            registrationID: step.context.environment.makeUUID(),
            revision: revision
        )
        return DeviceCall(purpose: .registration(digest, revision: revision), request: request)
    }
}

// MARK: - Responses

extension ContactMachine {
    static func propertiesSent(_ digest: StableDigest, _ response: ServerResponse, in step: inout DeviceStep) {
        let former = step.state.sync.properties.gate.lastFailure
        step.state.sync.properties.answered(
            response.outcome,
            for: digest,
            hasClientState: step.state.sync.clientState != nil,
            now: step.now,
            random: step.jitter(),
            policy: step.policy.calls
        )
        if let failure = reportedFailure(response.outcome.withoutToken, after: former) {
            step.then(.report(.propertiesRefused(failure)))
        }
    }

    static func linked(
        _ link: PendingLink,
        _ response: ServerResponse,
        in step: inout DeviceStep
    ) throws(BelfryError) {
        let (value, read) = response.reading(ContactLinkResponse.self, now: step.now)
        guard let tokens = value else {
            let former = step.state.sync.link.linkGate.lastFailure
            step.state.sync.link.linkFailed(
                read.outcome, for: link, now: step.now, random: step.jitter(), policy: step.policy.calls
            )
            // A re-installed app that gets no contact back keeps its own.
            if link.nonce == nil, let failure = reportedFailure(read.outcome.withoutToken, after: former) {
                step.then(.report(.linkRefused(failure)))
            }
            return
        }
        step.state.sync.link.linkSucceeded(
            link,
            tokens: ContactTokens(contactToken: tokens.contactToken, refreshToken: tokens.refreshToken),
            reference: tokens.contactReference
        )
        step.state.recipientTags.linked(tokens.contactReference, owner: link.owner)
        step.state.inApp.linked(tokens.contactReference, owner: link.owner)
        if link.nonce != nil {
            // The contact that the device got back has its own messages (REG-23).
            step.state.sync.centers.requestFetch()
            step.state.sync.inApp.requestFetch()
        }
        // The identity provider's token is removed now, also from the file's log (ID-3).
        if link.proof != nil { step.change.scrubs = true }
        let owner = step.state.sync.link.owner
        let oldestEvent = try step.store.queueStatus().oldestOwner ?? owner
        let oldestState = try step.store.pendingStates().lowestOwner ?? owner
        step.state.sync.link.forgetOwners(below: min(oldestEvent, oldestState))
    }

    static func refreshed(_ response: ServerResponse, in step: inout DeviceStep) throws(BelfryError) {
        let (token, read) = response.reading(ContactTokenResponse.self, now: step.now)
        if let token {
            return step.state.sync.link.refreshed(contactToken: token.contactToken)
        }
        let formerOwner = step.state.sync.link.owner
        let isForgotten = step.state.sync.link.refreshFailed(
            read.outcome, now: step.now, random: step.jitter(), policy: step.policy.calls
        )
        guard isForgotten else { return }
        step.state.sync.forgotten(now: step.now)
        // The contact was proven by a token that is no longer stored (ID-3).
        if try handSessionOver(from: formerOwner, in: &step) { step.then(.report(.openIDTokenNeeded)) }
    }

    static func registered(
        _ digest: StableDigest,
        revision: Int64,
        _ response: ServerResponse,
        in step: inout DeviceStep
    ) {
        let (receipt, read) = response.reading(RegistrationResponse.self, now: step.now)
        step.noticeToken(read.outcome)
        if let receipt {
            let current = step.state.recordDigest
            step.state.sync.registration.succeeded(
                digest, sent: revision, serverRevision: receipt.revision,
                isSuperseded: receipt.status == .superseded, current: current
            )
            return processed(receipt.registration, in: &step)
        }
        step.state.sync.registration.failed(
            read.outcome, for: digest, now: step.now, random: step.jitter(), policy: step.policy.registration
        )
        if case .refused(let failure) = read.outcome { step.then(.report(.registrationRefused(failure))) }
    }

    /// Processes the result of the newest registration, which is in the responses to several calls. The app is told
    /// about rejected fields once, not with each registration that repeats them (REG-25).
    ///
    /// - Parameter result: nil when the response has none.
    static func processed(_ result: RegistrationResult?, in step: inout DeviceStep) {
        guard let result else { return }
        let rejected = step.state.sync.registration.processed(result)
        if !rejected.isEmpty { step.then(.report(.attributesRejected(rejected))) }
    }

    /// The error that is reported to the app: a refusal; or that the server does not know the app, once in a row.
    private static func reportedFailure(_ outcome: CallOutcome, after former: CallFailure?) -> CallFailure? {
        if case .refused(let failure) = outcome { return failure }
        guard let failure = outcome.failure, failure.isUnknownApp, former?.isUnknownApp != true else { return nil }
        return failure
    }
}
