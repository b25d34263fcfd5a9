import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// One device fetches a message center (WIRE-10).
struct CenterFetch: Sendable {
    /// The center's name as the device wrote it.
    let center: String
    let caller: AuthenticatedCaller
    let now: Date

    /// The result of a fetch.
    struct Found: Sendable {
        let link: DeviceLink
        let messages: [InboxMessage]
    }

    /// Fetches for several devices with the statements of one (FLEET-4). Nil where a write is needed: for the first use
    /// of a newer link's token (WIRE-20), and for a dormant device (FLEET-2).
    static func messages(
        _ fetches: [CenterFetch], in connection: any SQLConnection
    ) throws -> [Result<Found?, any Error>] {
        let views = try connection.messageCenters.views(
            // A text that is no valid name is reported as an unknown center after the caller was checked.
            fetches.map { (device: $0.caller.device, center: $0.name ?? .primary) }
        )
        let lookup = CallerLookup(connection: connection)
        let allowed = zip(fetches, views).map { fetch, view in Result { try fetch.allowed(view, lookup) } }
        let asked = zip(fetches, allowed).compactMap { fetch, view -> MessageCenterMessageRepository.Asked? in
            guard let view = try? view.get() else { return nil }
            return .init(contact: view.holder.number, center: view.center.name, now: fetch.now)
        }
        var rows = try connection.centerMessages.newest(asked, limit: MessageCenterLimits.messagesPerCenter)[...]
        return allowed.map { view in
            view.map { view in
                guard let view, let rows = rows.popFirst() else { return nil }
                let owner = MessageOwner(contact: view.holder.number)
                return Found(link: view.link, messages: rows.map { InboxMessage($0, of: owner) })
            }
        }
    }

    private var name: MessageCenterName? { try? MessageCenterName(center) }

    private struct Allowed {
        let link: DeviceLink
        let holder: MessageHolder
        let center: MessageCenter
    }

    private func allowed(_ view: MessageCenterView?, _ lookup: CallerLookup) throws -> Allowed? {
        if try view == nil && lookup.isDormant(caller) { return nil }
        let link = try lookup.shown(view?.link, of: caller)
        guard caller.generation <= link.confirmedGeneration else { return nil }
        let contact = try link.owner
        guard let view, let center = name.flatMap({ view.center(named: $0) }) else {
            throw AppLookup.unknownCenter(self.center)
        }
        try center.rejectIfDisabled()
        return Allowed(link: link, holder: view.isKnown ? .contact(contact) : .installation(link.id), center: center)
    }
}
