import BelfryModel

/// The opened phones by their numbers.
actor PhoneRack {
    /// The number of phones.
    static let maximumPhones = 20

    private let world: PhoneWorld
    private var phones: [Int: Phone] = [:]

    init(world: PhoneWorld) {
        self.world = world
    }

    /// The phone with a number. The first call for a number switches the phone on.
    ///
    /// - Returns: nil for a number above the maximum.
    func phone(_ number: Int) async -> Phone? {
        guard (1...Self.maximumPhones).contains(number) else { return nil }
        if let phone = phones[number] { return phone }
        let phone = Phone(number: number, world: world)
        phones[number] = phone
        await phone.switchOn()
        return phone
    }

    func end() async {
        for phone in phones.values { await phone.end() }
        phones = [:]
    }
}
