import BelfryStore

/// The stored data of one contact.
package struct ContactProfile: Sendable {
    /// The contact type that the layers above use.
    package typealias Contact = ContactRow

    /// The most devices that a profile shows; a contact that many people share may have any number.
    package static let maximumDevices = 100
    /// The most tags that a profile shows.
    package static let maximumTags = ContactTagRepository.maximumListed

    package let contact: ContactRow
    /// The contact's former keys, cut to the first ones.
    package let aliases: [String]
    /// The contact's tags, cut to the first ones.
    package let tags: [String]
    /// The contact's newest devices, newest first.
    package let devices: [DeviceOutline]
    /// The number of all devices of the contact, listed or not.
    package let deviceCount: Int
    /// The source of each attribute value, by attribute name.
    package let sources: [String: AttributeSource]
}
