import BelfryModel
import BelfryStore
import Foundation

extension LinkService {
    /// Gives a re-installed app its former anonymous contact, with its history and messages. The app proves itself by
    /// the nonce that was pushed to the token of the former installation (REG-23). A repeated call changes nothing.
    package func takeBack(_ nonce: String, caller: Caller) async throws -> DeviceCallResult<LinkGrant> {
        let now = environment.now()
        let secret = RefreshToken.secret(environment)
        return try await database.write { [keys, environment] connection in
            var device = try WaitingRegistrations(connection: connection, environment: environment).applied(
                to: CallerLookup(connection: connection).device(named: caller, keys: keys, now: now)
            )
            let takeover = Takeover(connection: connection, settings: caller.app.settings, now: now)
            try takeover.settleWords(beforeOfferTo: device)
            guard [.linked, .installation].contains(keys.authLevel(of: caller, to: device)),
                !keys.hasLeft(caller, device),
                let offer = try takeover.offer(to: device, acceptedBy: nonce, keys: keys)
            else {
                throw ServiceError.forbidden(
                    code: "nothingToTakeOver", message: "This device is offered no contact, or not by this nonce."
                )
            }
            try connection.hold([offer.contact, offer.formerContact])
            try ContactChange(connection: connection, now: now).takeOver(offer.formerContact, by: &device)
            // Values that the former installation has sent are not lost with it, and its inbox goes along (MC-15). One
            // that was revoked since the offer, or has another contact by now, keeps its own (SEC-10).
            let former = try connection.devices.findAnywhere(id: offer.formerDevice).map {
                try WaitingRegistrations(connection: connection, environment: environment).applied(to: $0)
            }
            if let former, former.contact == offer.formerContact {
                try NewInstallation(connection: connection, now: now).end(former, because: .takeover, heir: device)
            }
            device.contactOrder = PropertyOrder(
                generation: keys.generation(shownBy: caller, to: device) ?? 0, milliseconds: caller.order.milliseconds
            )
            device.orderEpoch = device.linkGeneration + 1
            let grant = try newGrant(for: &device, caller: caller, secret: secret, now: now, connection)
            return DeviceCallResult(value: grant, clientState: keys.state(of: device))
        }
    }
}
