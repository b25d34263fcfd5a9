import BelfryModel

/// The phones that were opened, by their numbers.
actor PhoneRack {
    /// Phones at a time.
    static let maximumPhones = 20

    private let world: PhoneWorld
    private var phones: [Int: Phone] = [:]

    init(world: PhoneWorld) {
        self.world = world
    }

    /// The phone of a number; it is switched on by the first who asks.
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
