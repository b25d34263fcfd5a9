import BelfryStore
import Crypto
import Foundation

/// `X-Client-State` (WIRE-20): proves that its bearer is the installation that was linked to a contact.
struct ClientStateHeader: Hashable, Sendable {
    let device: Int64
    /// The number of the contact. 0 if the state proves none.
    let contact: Int64
    /// The epoch of the installation to which it was issued. A revocation or a new installation ends it (SEC-10).
    let epoch: Int64
    /// The device's link generation when it was issued. It tells the epoch of orders of a call that shows it (ID-10). 0
    /// before the first link, and in states from before such epochs existed.
    let generation: Int64

    func signed(for clientID: String, with keys: ServerKeys) -> String {
        guard generation > 0 else {
            return SignedValue.make([device, contact], epoch: epoch, for: clientID, key: keys.clientState)
        }
        return SignedValue.make(
            [device, contact, generation], epoch: epoch, for: Self.subject(clientID), key: keys.clientState
        )
    }

    init(device: Int64, contact: Int64, epoch: Int64, generation: Int64 = 0) {
        self.device = device
        self.contact = contact
        self.epoch = epoch
        self.generation = generation
    }

    /// A state that only proves that its bearer knows of an erasure (REG-36): no device has the number 0. It does not
    /// contain the time of the erasure in readable form, because anyone may read what is signed.
    init(after erasedAt: Date, with keys: ServerKeys) {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("erased \(erasedAt.milliseconds)".utf8), using: keys.clientState
        )
        self.init(device: 0, contact: 0, epoch: code.prefix(7).reduce(0) { $0 << 8 | Int64($1) })
    }

    /// Whether it was issued after an erasure.
    var isAfterErasure: Bool { device == 0 }

    /// Whether it belongs to the present installation of a row: it names the row, or the row was created with it, and
    /// the response to its link may have been lost.
    func isOf(_ row: DeviceRow) -> Bool { (device == row.id || isAfterErasure) && epoch == row.epoch }

    /// The state of a device's link.
    init(_ link: DeviceLink) {
        self.init(
            device: link.id, contact: link.contact ?? 0, epoch: link.epoch, generation: link.linkGeneration
        )
    }

    init?(_ text: String?, for clientID: String, with keys: ServerKeys) {
        if let (numbers, epoch) = SignedValue.read(
            text, count: 3, withEpochFor: Self.subject(clientID), key: keys.clientState
        ) {
            guard numbers[2] > 0 else { return nil }
            self.init(device: numbers[0], contact: numbers[1], epoch: epoch, generation: numbers[2])
        } else if let (numbers, epoch) = SignedValue.read(
            text, count: 2, withEpochFor: clientID, key: keys.clientState
        ) {
            self.init(device: numbers[0], contact: numbers[1], epoch: epoch)
        } else {
            return nil
        }
    }

    /// No client id has a control character, so the two forms cannot be confused.
    private static func subject(_ clientID: String) -> String { "\(clientID)\u{1}generation" }
}
