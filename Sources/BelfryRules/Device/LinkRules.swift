import Foundation

/// What the link to the contact needs next.
public enum LinkDecision: Hashable, Sendable {
    case link(PendingLink)
    /// The contact token was refused; renew it (ID-6).
    case refresh(refreshToken: String)
    /// The contact is settled and its token usable.
    case ready
    case wait(until: Date, reason: WaitReason)
    case idle(IdleReason)
}

/// Whom the device is linked to, which links are still to be made, and the tokens (ID-1, ID-3, ID-4, ID-6).
public struct LinkRules: Hashable, Sendable, Codable {
    /// Changes of contact that are kept for one offline time; beyond it the newest goes, and events that were tracked
    /// for its owner are set aside.
    public static let maximumPending = 16

    /// The number of the contact for whom events are tracked now.
    public private(set) var owner = 0
    /// The links that are still to be made, in order.
    public private(set) var pending: [PendingLink] = []
    /// Whom the server knows the device to be linked to.
    public private(set) var linked: PendingLink?
    /// Owner → the server's opaque reference for it (ID-7).
    public private(set) var references: [Int: String] = [:]
    /// Nil before the first link, and when the server no longer knows them.
    public private(set) var tokens: ContactTokens?
    /// The server refused the contact token; a refresh comes first.
    public private(set) var tokenIsExpired = false
    /// A call with this token has succeeded; otherwise a 401 must not make a fast circle.
    private var tokenIsProven = false
    public private(set) var linkGate = CallGate()
    public private(set) var refreshGate = CallGate()
    /// Whom the last OpenID token named, also when the server refused it, as long as nobody else was named.
    public private(set) var subject: StableDigest?
    /// The number of the person who uses the device; nil is the first one.
    public private(set) var person: Int?

    public init() {}

    /// Whom the app wants the device to be linked to.
    public var target: LinkTarget? {
        pending.last?.target ?? linked?.target
    }

    /// A call that needs a contact token may be made.
    public var hasUsableToken: Bool {
        tokens != nil && !tokenIsExpired
    }

    /// A contact was named, or is to be taken back from one: what REG-12 waits for has happened.
    public var namesContact: Bool {
        let isToChange = linked != nil && !pending.isEmpty
        return isToChange || linked?.target.isKnown == true || pending.contains { $0.target.isKnown }
    }

    /// What the link needs now.
    public func decide(now: Date, policy: Backoff.Policy) -> LinkDecision {
        if let next = pending.first {
            switch linkGate.opening(for: StableDigest(link: next), now: now) {
            case .open: return .link(next)
            case .closed(let until, let reason): return .wait(until: until, reason: reason)
            }
        }
        return decideToken(now: now)
    }

    /// What the contact token needs now, whatever link is to follow.
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
    /// At a start: without tokens there is a link to make, anonymous unless the contact is known (ID-1).
    ///
    /// A contact that a token proved cannot be proven again without one: the device is anonymous until the app brings
    /// the next token, and what it tracks meanwhile merges then (ID-8).
    public mutating func launched() {
        guard tokens == nil, pending.isEmpty else { return }
        if case .openID? = linked?.target {
            owner += 1
            pending = [PendingLink(owner: owner, target: .anonymous, person: person)]
        } else {
            pending = [linked ?? PendingLink(owner: owner, target: .anonymous, person: person)]
        }
    }

    /// Starts at another number than 0, above the owners of events that are queued already.
    public init(owner: Int) {
        self.owner = owner
    }

    /// - Returns: false when the device is linked to that contact, or is about to be: then nothing is sent (ID-3). Also
    ///   when it is anonymous because the server refused that contact less than a day ago.
    public mutating func identify(key: String, field: String?, now: Date) -> Bool {
        subject = nil
        return want(.known(key: key, field: field), proof: nil, now: now)
    }

    /// The same for a person whom a token proves. A fresh token of the same one is kept for the link that is still to be
    /// made, and changes nothing once it is made (ID-3).
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
            // The anonymous contact is that of the person before, and what it has would go on to the next one.
            guard (pending.last ?? linked)?.person != person else { return false }
            append(.anonymous)
        } else if target == nil {
            // What was tracked before anybody was wanted is this first contact's.
            pending = [link]
        } else if let last = pending.last, last.target == .anonymous, last.person == person {
            // What an anonymous contact did merges into the known one (ID-8), so it needs no link of its own.
            pending[pending.count - 1] = link
        } else {
            append(wanted, proof: proof)
        }
        return true
    }

    /// The next contact has a number of its own, also where the link of another makes room for it: what was tracked for
    /// that one must not become theirs (ID-7).
    private mutating func append(_ target: LinkTarget, proof: OpenIDProof? = nil) {
        owner += 1
        if pending.count >= Self.maximumPending { pending.removeLast() }
        pending.append(PendingLink(owner: owner, target: target, proof: proof, person: person))
    }

    /// Another person uses the device from now on; call it before their contact is named. No anonymous contact of the
    /// one before becomes theirs (ID-4, ID-8).
    public mutating func personChanged() {
        person = (person ?? 0) + 1
    }

    /// A key that is named without a field, as the record's, which sets the contact too (ID-9): it is linked, unless the
    /// device is linked to that key.
    ///
    /// - Parameter field: the configured one.
    /// - Returns: as ``identify(key:field:now:)``.
    public mutating func named(key: String, field: String?, now: Date) -> Bool {
        if case .known(key: let present, field: _)? = target, present == key {
            subject = nil
            return false
        }
        return identify(key: key, field: field, now: now)
    }

    /// - Parameter hadContactKey: the record named a contact, so a snapshot may have given the device to it even though
    ///   the link is anonymous; only a link takes it back (ID-9, REG-23).
    /// - Returns: false when the device is anonymous already.
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

    /// A link was answered with tokens.
    ///
    /// When the app changed its mind while the request was under way, the tokens serve until the next link is made.
    public mutating func linkSucceeded(_ link: PendingLink, tokens: ContactTokens, reference: String) {
        self.tokens = tokens
        tokenIsExpired = false
        tokenIsProven = false
        linked = link.made
        references[link.owner] = reference
        linkGate = CallGate()
        if link.isSame(as: pending.first) { pending.removeFirst() }
    }

    /// Anything but tokens. A known contact that the server refuses gives way to an anonymous one, so that the device
    /// still has a contact and no event goes to the one before.
    public mutating func linkFailed(
        _ outcome: CallOutcome,
        for link: PendingLink,
        now: Date,
        random: Double,
        policy: Backoff.Policy
    ) {
        let content = StableDigest(link: link)
        linkGate.answered(outcome.withoutToken, for: content, now: now, random: random, policy: policy)
        giveWay(now: now)
    }

    /// No event and no registration waits for a contact that the server refuses.
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

    /// A call with the contact token was answered by 401.
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
        refreshGate = CallGate()
    }

    /// A refresh was answered with a new contact token.
    public mutating func refreshed(contactToken: String) {
        tokens?.contactToken = contactToken
        tokenIsExpired = false
        tokenIsProven = false
    }

    /// - Returns: true when the server no longer knows the refresh token: the device links anew, and whatever else the
    ///   server had accepted is to be said again (ID-6).
    public mutating func refreshFailed(
        _ outcome: CallOutcome,
        now: Date,
        random: Double,
        policy: Backoff.Policy
    ) -> Bool {
        guard outcome.failure?.isForgotten == true else {
            // Any other refusal says nothing about the refresh token, which is the only one.
            refreshGate.answered(outcome.toBeRepeated, for: nil, now: now, random: random, policy: policy)
            return false
        }
        tokens = nil
        tokenIsExpired = false
        tokenIsProven = false
        launched()
        return true
    }

    /// Forgets the references of owners that have no event left. Those of the last few stay: an event that is tracked
    /// while the contact changes may be queued behind one of the next, or after the next was linked.
    ///
    /// - Parameter oldest: the owner of the event that waits longest.
    public mutating func forgetOwners(below oldest: Int) {
        let lowest = min(oldest, linked?.owner ?? oldest) - Self.maximumPending
        references = references.filter { $0.key >= lowest }
    }

    /// Ends a wait for the network; what the server asked for stays (REG-7).
    public mutating func networkReturned() {
        linkGate.networkReturned()
        refreshGate.networkReturned()
    }

    /// A clock that was set back must not freeze a wait, nor a refused contact the queue.
    public mutating func rebase(to now: Date) {
        linkGate.rebase(to: now)
        refreshGate.rebase(to: now)
        giveWay(now: now)
    }
}
