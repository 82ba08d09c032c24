"""A broker that is correct except for one trick, which it plays on its first connection."""

import socket
import threading
import time

from mqtt_packets import next_packet, packet, published, text
from tricks import LOGIN, PUBLISH, SUBSCRIBE, Trick, accepted, request

KINDS = {1: LOGIN, 3: PUBLISH, 8: SUBSCRIBE}


class Broker:
    """Remembers messages after the trick: they prove that the agent lives and goes on."""

    def __init__(self, trick):
        self.trick = trick
        self.is_played = False
        self.packets_afterwards = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def close(self):
        self.listener.close()

    def listen(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        buffer = bytearray()
        with client:
            try:
                while piece := client.recv(1 << 16):
                    buffer += piece
                    while found := next_packet(buffer):
                        kind, body, end = found
                        del buffer[:end]
                        if not self.answer(client, kind, body):
                            return
            except OSError:
                pass

    def answer(self, client, kind, body):
        """Whether the connection goes on."""
        if self.is_played:
            self.packets_afterwards.append(kind)
        elif KINDS.get(kind >> 4) == self.trick.instead_of:
            client.sendall(self.trick.octets)
            self.is_played = True
            if self.trick.hangs_up:
                # Closing with unread octets would make the socket take back the octets just sent.
                client.shutdown(socket.SHUT_WR)
                time.sleep(0.1)
            return not self.trick.hangs_up
        client.sendall(self.right_answer(kind, body))
        return True

    def right_answer(self, kind, body):
        old = self.trick.version == 3
        if kind >> 4 == 1:
            return b"\x20\2\0\0" if old else accepted()
        if kind >> 4 == 3 and kind & 6:
            return published(kind, body)[2]
        if kind >> 4 == 8:
            return packet(0x90, body[:2] + (b"\1" if old else b"\0\1"))
        return b"\xd0\0" if kind >> 4 == 12 else b""


class HangingUpBroker(Broker):
    """A broker of few levels, which hangs up without a word on who publishes to a deeper topic. On every connection it has a
    request whose answer would go to one, and then, on those that stand, a request whose answer would not."""

    DEEP, FLAT = b"replies/a/b/c/d/e/f", b"replies/a"

    def __init__(self):
        super().__init__(Trick("few levels", "", b""))
        self.is_played = True
        self.ends = 0
        self.answers = []

    def answer(self, client, kind, body):
        if kind >> 4 != 3:
            client.sendall(self.right_answer(kind, body))
            if kind >> 4 == 8:
                for topic in self.DEEP, self.FLAT:
                    client.sendall(request(b"\x08" + text(topic)))
            return True
        topic = body[2:2 + int.from_bytes(body[:2], "big")]
        if topic == self.DEEP:
            self.ends += 1
            return False
        if topic == self.FLAT:
            self.answers.append(body)
        client.sendall(self.right_answer(kind, body))
        return True
