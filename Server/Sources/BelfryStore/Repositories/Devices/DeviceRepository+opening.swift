import Foundation

extension DeviceRepository {
    /// Notes that the app was opened, unless a later opening is known (REG-22). That is no change of the device: else each
    /// session would have its in-app messages chosen anew, and the audiences that ask for openings are chosen each time
    /// anyway (``BelfryModel/Condition/isVolatile``).
    package func opened(_ device: Int64, app: Int64, at: Date) throws {
        try connection.openings.note(at, of: .device, device)
        try connection.openings.follow(at, in: "devices", where: "id", device)
        try connection.audiences.follow(openingOf: device, app: app, at: at)
    }
}

extension ContactRepository {
    /// The same for the contact. No audience asks for it: each asks for its devices' own.
    package func opened(_ contact: Int64, at: Date) throws {
        try connection.openings.note(at, of: .contact, contact)
        try connection.openings.follow(at, in: "contacts", where: "id", contact)
    }
}
