// Joins the server as a client of the game and says what it sees as JSON lines. A line that it reads is the number of a body
// to click on, or a command with its slash.
// Usage: node witness.js PORT, with npm's minecraft-protocol 1.68.0 beside it or in NODE_PATH.
const protocol = require('minecraft-protocol')
const readline = require('readline')

const say = (what) => console.log(JSON.stringify(what))
const client = protocol.createClient({
  host: '127.0.0.1', port: Number(process.argv[2]), username: 'witness', auth: 'offline', version: '26.1'
})
const places = new Map()
const moved = (id, x, y, z) => {
  places.set(id, [x, y, z])
  say({ saw: 'place', id, at: [x, y, z] })
}

client.on('login', () => say({ saw: 'login' }))
client.on('spawn_entity', (packet) => {
  say({ saw: 'spawn', id: packet.entityId })
  moved(packet.entityId, packet.x, packet.y, packet.z)
})
const relative = (packet) => {
  const [x, y, z] = places.get(packet.entityId) || [0, 0, 0]
  moved(packet.entityId, x + packet.dX / 4096, y + packet.dY / 4096, z + packet.dZ / 4096)
}
client.on('rel_entity_move', relative)
client.on('entity_move_look', relative)
client.on('sync_entity_position', (packet) => moved(packet.entityId, packet.x, packet.y, packet.z))
client.on('system_chat', (packet) => say({ saw: 'chat', text: JSON.stringify(packet.content) }))
client.on('disconnect', (packet) => say({ saw: 'disconnect', why: JSON.stringify(packet) }))
client.on('error', (error) => say({ saw: 'error', why: String(error) }))
client.on('end', () => process.exit(0))

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  if (line.startsWith('/')) client.write('chat_command', { command: line.slice(1) })
  else client.write('use_entity', { target: Number(line), hand: 0, location: { x: 0, y: 0, z: 0 }, sneaking: false, mouse: 0 })
}).on('close', () => client.end())
