import BelfryModel
import Foundation

/// The next step for the link to the contact.
public enum LinkDecision: Hashable, Sendable {
    case link(PendingLink)
    /// The contact token was refused; renew it (ID-6).
    case refresh(refreshToken: String)
    /// The contact is linked and its token usable.
    case ready
    case wait(until: Date, reason: WaitReason)
    case idle(IdleReason)
}

/// The linked contact, the links that are still to be made, and the tokens (ID-1, ID-3, ID-4, ID-6).
public struct LinkRules: Hashable, Sendable, Codable {
    /// Changes of contact that are kept for one offline period; beyond it the newest is dropped, and events that were
    /// tracked for its owner become dead letters.
    public static let maximumPending = 16

    /// The number of the contact for whom events are tracked now.
    public private(set) var owner = 0
    /// The links that are still to be made, in order.
    public private(set) var pending: [PendingLink] = []
    /// The link that the server has, as far as the device knows.
    public private(set) var linked: PendingLink?
    /// Owner → the server's opaque reference for it (ID-7).
    public private(set) var references: [Int: String] = [:]
    /// Nil before the first link, and when the server no longer knows them.
    public private(set) var tokens: ContactTokens?
    /// Whether the server refused the contact token, so that it must be renewed first.
    public private(set) var tokenIsExpired = false
    /// Whether a call with this token has succeeded; if not, a 401 must not cause an endless loop of refreshes.
    private var tokenIsProven = false
    public private(set) var linkGate = RequestGate()
    public private(set) var refreshGate = RequestGate()
    /// The subject of the last OpenID token, even if the server refused it, until somebody else is identified.
    public private(set) var subject: StableDigest?
    /// The number of the person who uses the device; nil is the first one.
    public private(set) var person: Int?

    public init() {}

    /// The contact that the app wants the device to be linked to.
    public var target: LinkTarget? {
        pending.last?.target ?? linked?.target
    }

    /// Whether a call that needs a contact token may be made.
    public var hasUsableToken: Bool {
        tokens != nil && !tokenIsExpired
    }

    /// A contact was set, or will be unlinked: this ends the wait of REG-12.
    public var namesContact: Bool {
        let isToChange = linked != nil && awaitsContact
        return isToChange || linked?.target.isKnown == true || pending.contains { $0.target.isKnown }
    }

    /// The next step for the link.
    public func decide(now: Date, policy: Backoff.Policy) -> LinkDecision {
        if let next = pending.first {
            switch linkGate.opening(for: StableDigest(link: next), now: now) {
            case .open: return .link(next)
            // A re-installed app already has a contact, so nothing waits for the one that it may get back (REG-23).
            case .closed where next.nonce != nil && !awaitsContact: break
            case .closed(let until, let reason): return .wait(until: until, reason: reason)
            }
        }
        return decideToken(now: now)
    }

    /// When a nonce that could not be sent back is sent again; nil when none waits.
    public func nextTakeover(now: Date) -> Date? {
        guard let next = pending.first, next.nonce != nil,
            case .closed(let until, _) = linkGate.opening(for: StableDigest(link: next), now: now)
        else { return nil }
        return until
    }

    /// Whether a link is to be made before anything else is sent.
    public var awaitsContact: Bool {
        nextContact != nil
    }

    /// The first link to a contact that the device does not have. An earlier version stored a nonce before it.
    var nextContact: PendingLink? {
        pending.first { $0.nonce == nil }
    }

    /// The next step for the contact token, regardless of pending links.
    public func decideToken(now: Date) -> LinkDecision {
        guard let tokens else { return .idle(.waitingForContact) }
        guard tokenIsExpired else { return .ready }
        switch refreshGate.opening(for: nil, now: now) {
        case .open: return .refresh(refreshToken: tokens.refreshToken)
        case .closed(let until, let reason): return .wait(until: until, reason: reason)
        }
    }
}

extension LinkRules {
    /// At a start without tokens, a link must be made, anonymous unless the contact is known (ID-1).
    ///
    /// A contact that a token proved cannot be proven again without a token. The device is anonymous until the app
    /// passes the next one; the events tracked meanwhile are merged then (ID-8).
    public mutating func launched() {
        // An earlier version stored a nonce before the link that takes its place.
        if awaitsContact { dropTakeover() }
        guard tokens == nil, pending.isEmpty else { return }
        if case .openID? = linked?.target {
            owner += 1
            pending = [PendingLink(owner: owner, target: .anonymous, person: person)]
        } else {
            pending = [linked ?? PendingLink(owner: owner, target: .anonymous, person: person)]
        }
    }

    /// Starts with a number other than 0, above the owners of queued events.
    public init(owner: Int) {
        self.owner = owner
    }

    /// - Returns: false when the device is already linked to that contact, or is about to be: then nothing is sent
    ///   (ID-3). Also false when it is anonymous because the server refused that contact less than a day ago.
    public mutating func identify(key: String, field: String?, now: Date) -> Bool {
        subject = nil
        return want(.known(key: key, field: field), proof: nil, now: now)
    }

    /// Identifies the contact that a party identifier names (ID-9). Returns the same as ``identify(key:field:now:)``.
    public mutating func identify(_ party: PartyIdentifier, now: Date) -> Bool {
        subject = nil
        return want(.party(party), proof: nil, now: now)
    }

    /// Identifies the person whom a token proves. Returns the same as ``identify(key:field:now:)``. A fresh token of
    /// the same person replaces the one of a pending link, and changes nothing once the link is made (ID-3).
    public mutating func identify(_ proof: OpenIDProof, now: Date) -> Bool {
        subject = proof.subject
        let wanted = LinkTarget.openID(subject: proof.subject)
        if let last = pending.last, last.target == wanted {
            let renewed = PendingLink(owner: last.owner, target: wanted, proof: proof, person: last.person)
            pending[pending.count - 1] = renewed
        }
        return want(wanted, proof: proof, now: now)
    }

    private mutating func want(_ wanted: LinkTarget, proof: OpenIDProof?, now: Date) -> Bool {
        guard target != wanted else { return false }
        let link = PendingLink(owner: owner, target: wanted, proof: proof, person: person)
        if target == .anonymous, linkGate.isRefused(StableDigest(link: link), now: now) {
            // The anonymous contact belongs to the previous person, and its data would merge into the next one's
            // contact.
            guard (pending.last ?? linked)?.person != person else { return false }
            append(.anonymous)
        } else if target == nil {
            // Events from before any contact was set belong to this first contact.
            pending = [link]
        } else if let last = pending.last, last.nonce == nil, last.target == .anonymous, last.person == person {
            // Events of an anonymous contact merge into the known one (ID-8), so it needs no link of its own.
            pending[pending.count - 1] = link
        } else {
            append(wanted, proof: proof)
        }
        return true
    }

    /// The next contact gets a new number, even if another pending link is dropped to make room: events of that contact
    /// must not become the next one's (ID-7).
    ///
    /// A waiting nonce is dropped: it is for the contact that the device leaves, and the next person's data must not be
    /// sent meanwhile (ID-4, REG-23).
    private mutating func append(_ target: LinkTarget, proof: OpenIDProof? = nil) {
        owner += 1
        dropTakeover()
        if pending.count >= Self.maximumPending { pending.removeLast() }
        pending.append(PendingLink(owner: owner, target: target, proof: proof, person: person))
    }

    /// Another person uses the device from now on; call this before their contact is set. The previous person's
    /// anonymous contact does not become theirs (ID-4, ID-8).
    public mutating func personChanged() {
        person = (person ?? 0) + 1
    }

    /// Sets a key without a field. A key in the record sets the contact, too (ID-9): it is linked, unless the device is
    /// already linked to that key.
    ///
    /// - Parameter field: the configured field.
    /// - Returns: same as ``identify(key:field:now:)``.
    public mutating func named(key: String, field: String?, now: Date) -> Bool {
        if case .known(key: let present, field: _)? = target, present == key {
            subject = nil
            return false
        }
        return identify(key: key, field: field, now: now)
    }

    /// - Parameter hadContactKey: the record had a contact key, so a snapshot may have linked the device to it although
    ///   the link is anonymous; only a link undoes that (ID-9, REG-23).
    /// - Returns: false when the device is already anonymous.
    public mutating func logout(hadContactKey: Bool) -> Bool {
        // A person whose token was refused has left attributes on the anonymous contact.
        let wasNamed = hadContactKey || subject != nil
        subject = nil
        guard let target, target.isKnown || wasNamed else { return false }
        personChanged()
        linked = linked?.forgotten
        append(.anonymous)
        return true
    }

    /// The response to a link has tokens.
    ///
    /// If the app set another contact while the request was in progress, the tokens are used until the next link is
    /// made.
    public mutating func linkSucceeded(_ link: PendingLink, tokens: ContactTokens, reference: String) {
        self.tokens = tokens
        tokenIsExpired = false
        tokenIsProven = false
        linked = link.made
        references[link.owner] = reference
        linkGate = RequestGate()
        if link.isSame(as: pending.first) { pending.removeFirst() }
    }

    /// Processes any other response. If the server refuses a known contact, an anonymous one replaces it, so that the
    /// device still has a contact and no event goes to the previous one.
    public mutating func linkFailed(
        _ outcome: CallOutcome,
        for link: PendingLink,
        now: Date,
        random: Double,
        policy: Backoff.Policy
    ) {
        // Another link has replaced the nonce meanwhile, and does not wait for it (REG-23).
        guard link.nonce == nil || pending.contains(link) else { return }
        let content = StableDigest(link: link)
        linkGate.answered(outcome.withoutToken, for: content, now: now, random: random, policy: policy)
        dropRejectedTakeover(link, now: now)
        giveWay(now: now)
    }

    /// The device stays linked as it is, with its tokens.
    private mutating func dropRejectedTakeover(_ link: PendingLink, now: Date) {
        guard link.nonce != nil, pending.first == link, linkGate.isRefused(StableDigest(link: link), now: now) else {
            return
        }
        pending.removeFirst()
        linkGate = RequestGate()
    }

    /// While a nonce is the first to be sent, all failures are its own, so nothing else waits because of them (REG-23).
    private mutating func dropTakeover() {
        guard pending.contains(where: { $0.nonce != nil }) else { return }
        pending.removeAll { $0.nonce != nil }
        if linkGate.backoff.failures > 0 { linkGate = RequestGate() }
    }

    /// Adds the link that sends a nonce back, while no other link is pending.
    mutating func offerTakeover(_ link: PendingLink) {
        pending = [link]
    }

    /// Events and registrations do not wait for a contact that the server refuses.
    private mutating func giveWay(now: Date) {
        while let first = pending.first, first.target.isKnown,
            linkGate.isRefused(StableDigest(link: first), now: now)
        {
            let substitute = PendingLink(owner: first.owner, target: .anonymous, person: first.person)
            if let linked, !linked.target.isKnown, linked.person == first.person,
                let reference = references[linked.owner], tokens != nil
            {
                pending.removeFirst()
                references[first.owner] = reference
                self.linked = substitute
            } else {
                pending[0] = substitute
            }
        }
    }

    /// The response to a call with the contact token was 401.
    public mutating func tokenRefused(
        _ failure: CallFailure,
        now: Date,
        random: Double,
        policy: Backoff.Policy
    ) {
        let wasProven = tokenIsProven
        tokenIsExpired = true
        tokenIsProven = false
        guard !wasProven else { return }
        let failed = CallOutcome.failed(failure, cause: .server, retryAfter: nil)
        refreshGate.answered(failed, for: nil, now: now, random: random, policy: policy)
    }

    /// A call with the contact token succeeded.
    public mutating func tokenProved() {
        guard !tokenIsExpired else { return }
        tokenIsProven = true
        refreshGate = RequestGate()
    }

    /// The response to a refresh has a new contact token.
    public mutating func refreshed(contactToken: String) {
        tokens?.contactToken = contactToken
        tokenIsExpired = false
        tokenIsProven = false
    }

    /// - Returns: true when the server no longer knows the refresh token: the device links again, and everything that
    ///   the server had accepted is sent again (ID-6).
    public mutating func refreshFailed(
        _ outcome: CallOutcome,
        now: Date,
        random: Double,
        policy: Backoff.Policy
    ) -> Bool {
        guard outcome.failure?.isForgotten == true else {
            // Any other error says nothing about the refresh token, and there is only one.
            refreshGate.answered(outcome.toBeRepeated, for: nil, now: now, random: random, policy: policy)
            return false
        }
        tokens = nil
        tokenIsExpired = false
        tokenIsProven = false
        // The nonce was for the device as the server knew it before.
        dropTakeover()
        launched()
        return true
    }

    /// Removes the references of owners that have no events left. Those of the last few stay, because an event that is
    /// tracked during a change of contact may be queued after an event of the next one, or after the next one was
    /// linked.
    ///
    /// - Parameter oldest: the owner of the oldest queued event.
    public mutating func forgetOwners(below oldest: Int) {
        let lowest = min(oldest, linked?.owner ?? oldest) - Self.maximumPending
        references = references.filter { $0.key >= lowest }
    }

    /// Ends a wait for the network; a `Retry-After` stays (REG-7).
    public mutating func networkReturned() {
        linkGate.networkReturned()
        refreshGate.networkReturned()
    }

    /// The app was opened: a long wait is cut short (EVT-5).
    public mutating func appOpened() {
        linkGate.appOpened()
        refreshGate.appOpened()
    }

    /// A clock that was set back must freeze neither a wait nor, by a refused contact, the queue.
    public mutating func rebase(to now: Date) {
        linkGate.rebase(to: now)
        refreshGate.rebase(to: now)
        giveWay(now: now)
    }
}
