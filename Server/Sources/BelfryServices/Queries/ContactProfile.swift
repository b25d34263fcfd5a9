import BelfryStore

/// What the store knows about one contact.
package struct ContactProfile: Sendable {
    /// A contact as the layers above hand it on.
    package typealias Contact = ContactRow

    /// Devices that it shows; one that everybody shares may have any number.
    package static let maximumDevices = 100
    /// Tags that it shows.
    package static let maximumTags = ContactTagRepository.maximumListed

    package let contact: ContactRow
    /// Its former keys; the first of them.
    package let aliases: [String]
    /// The first of them.
    package let tags: [String]
    /// The newest of them, the newest first.
    package let devices: [DeviceOutline]
    /// Of all of them.
    package let deviceCount: Int
    /// Where each value came from, by attribute.
    package let sources: [String: AttributeSource]
}
